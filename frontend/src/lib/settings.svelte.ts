// What a person has chosen for this browser, all in one place: look, sounds, speed; the language is kept in words.
import { SPEEDS } from './playback.svelte';
import { drop, saveItem, loadItem } from './storage';

export const THEMES = ['system', 'dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

const LIGHT = '(prefers-color-scheme: light)';

class Settings {
  theme = $state<Theme>(one(THEMES, 'warlight.theme', 'system'));
  sounds = $state(loadItem('warlight.sounds') === 'on');
  volume = $state(one(Array.from({ length: 101 }, (_, k) => k), 'warlight.volume', 50)); // per cent
  speed = $state(one([0, ...SPEEDS], 'warlight.speed', 1)); // at which orders are played; 0: rounds are shown at once

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

  setSounds(on: boolean): void {
    this.sounds = on;
    saveItem('warlight.sounds', on ? 'on' : 'off');
  }

  setVolume(volume: number): void {
    this.volume = volume;
    saveItem('warlight.volume', `${volume}`);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    saveItem('warlight.speed', `${speed}`);
  }

  /** The theme on the page; before this script runs, index.html has done the same. */
  private paint(): void {
    document.documentElement.dataset.theme = this.theme !== 'system' ? this.theme : matchMedia(LIGHT).matches ? 'light' : 'dark';
  }
}

/** What is kept, if it is one of these. */
function one<T extends string | number>(all: readonly T[], key: string, otherwise: T): T {
  return all.find((value) => `${value}` === loadItem(key)) ?? otherwise;
}

export const settings = new Settings();
