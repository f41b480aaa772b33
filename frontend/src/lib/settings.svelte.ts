// The user's settings, stored in this browser: theme, sounds, speed. The language is in i18n.svelte.ts.
import { SPEEDS } from './playback.svelte';
import { drop, saveItem, loadItem } from './storage';

export const THEMES = ['system', 'dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

const LIGHT = '(prefers-color-scheme: light)';

class Settings {
  theme = $state<Theme>(storedChoice(THEMES, 'warlight.theme', 'system'));
  sounds = $state(loadItem('warlight.sounds') === 'on');
  volume = $state(storedChoice(Array.from({ length: 101 }, (_, k) => k), 'warlight.volume', 50)); // per cent
  speed = $state(storedChoice([0, ...SPEEDS], 'warlight.speed', 1)); // playback speed of orders; 0: show whole rounds at once

  constructor() {
    matchMedia(LIGHT).addEventListener('change', () => this.paint());
    this.paint();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    if (theme === 'system') drop('warlight.theme');
    else saveItem('warlight.theme', theme);
    this.paint();
  }

  setSounds(enabled: boolean): void {
    this.sounds = enabled;
    saveItem('warlight.sounds', enabled ? 'on' : 'off');
  }

  setVolume(volume: number): void {
    this.volume = volume;
    saveItem('warlight.volume', `${volume}`);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    saveItem('warlight.speed', `${speed}`);
  }

  /** Apply the theme. index.html does the same before this script is loaded. */
  private paint(): void {
    document.documentElement.dataset.theme = this.theme !== 'system' ? this.theme : matchMedia(LIGHT).matches ? 'light' : 'dark';
  }
}

/** Return the stored value if it is one of `choices`; else `fallback`. */
function storedChoice<T extends string | number>(choices: readonly T[], key: string, fallback: T): T {
  return choices.find((value) => `${value}` === loadItem(key)) ?? fallback;
}

export const settings = new Settings();
