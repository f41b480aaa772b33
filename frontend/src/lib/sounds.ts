// Short sounds that the browser synthesizes: no files are loaded. Without audio support there is no sound.
import { settings } from './settings.svelte';

interface Tone {
  at: number; // start in seconds after the start of the sound
  pitch: number; // frequency in hertz
  to?: number; // final frequency in hertz, if it glides
  length: number; // duration in seconds
  wave?: OscillatorType;
  loud?: number; // loudness from 0 to 1
}

const melody = (pitches: number[], gap: number, length: number, wave: OscillatorType): Tone[] =>
  pitches.map((pitch, k) => ({ at: k * gap, pitch, length, wave }));

const SOUNDS = {
  amount: [{ at: 0, pitch: 880, length: 0.03, loud: 0.25 }],
  commit: melody([392, 523], 0.08, 0.14, 'triangle'),
  round: [{ at: 0, pitch: 330, length: 0.18, wave: 'triangle', loud: 0.5 }],
  capture: [
    { at: 0, pitch: 120, to: 60, length: 0.16, wave: 'square', loud: 0.5 },
    { at: 0.07, pitch: 659, length: 0.14, wave: 'triangle' },
  ],
  loss: [{ at: 0, pitch: 220, to: 98, length: 0.3, wave: 'sawtooth', loud: 0.5 }],
  won: melody([523, 659, 784, 1047], 0.13, 0.3, 'triangle'),
  lost: melody([392, 330, 262], 0.18, 0.36, 'triangle'),
} satisfies Record<string, Tone[]>;

export type Sound = keyof typeof SOUNDS;

const LATE = 400; // milliseconds after which a delayed sound is dropped

let context: AudioContext | null = null;

/**
 * Play a sound, if sounds are on and the browser allows them. Browsers forbid sounds before the first press on the
 * page.
 */
export function sound(name: Sound): void {
  if (!settings.sounds || settings.volume === 0 || navigator.userActivation?.hasBeenActive === false) return;
  try {
    context ??= new AudioContext();
    const [audio, requestTime] = [context, performance.now()];
    if (audio.state === 'running') play(audio, SOUNDS[name]);
    else audio.resume().then(() => performance.now() - requestTime < LATE && play(audio, SOUNDS[name]), silent);
  } catch {
    silent();
  }
}

/** Do nothing: this browser has no audio. */
function silent(): void {}

function play(context: AudioContext, tones: Tone[]): void {
  const output = context.createGain();
  output.gain.value = 0.4 * (settings.volume / 100) ** 2; // perceived loudness is not linear in the gain
  output.connect(context.destination);
  for (const { at, pitch, to = pitch, length, wave = 'sine', loud = 1 } of tones) {
    const [start, end] = [context.currentTime + at, context.currentTime + at + length];
    const [tone, envelope] = [context.createOscillator(), context.createGain()];
    tone.type = wave;
    tone.frequency.setValueAtTime(pitch, start);
    tone.frequency.exponentialRampToValueAtTime(to, end);
    envelope.gain.setValueAtTime(0, start);
    envelope.gain.linearRampToValueAtTime(loud, start + Math.min(0.01, length / 3));
    envelope.gain.linearRampToValueAtTime(0, end);
    tone.connect(envelope).connect(output);
    tone.start(start);
    tone.stop(end);
  }
}
