// Short sounds made by the page itself: no files, nothing to load.

import { settings } from '../state/settings';

let context: AudioContext | null = null;

/** Browsers allow sound only after the person has touched the page. */
function audio(): AudioContext | null {
  if (!settings.value.sound || !navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  return context;
}

function burst(seconds: number, frequency: number, volume: number): void {
  const out = audio();
  if (!out) return;
  const length = Math.ceil(out.sampleRate * seconds);
  const buffer = out.createBuffer(1, length, out.sampleRate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
  const source = out.createBufferSource();
  source.buffer = buffer;
  const filter = out.createBiquadFilter();
  filter.type = 'lowpass';
  filter.frequency.setValueAtTime(frequency, out.currentTime);
  filter.frequency.exponentialRampToValueAtTime(frequency / 8, out.currentTime + seconds);
  const gain = out.createGain();
  gain.gain.value = volume;
  source.connect(filter).connect(gain).connect(out.destination);
  source.start();
}

export const playMove = (): void => burst(0.06, 2400, 0.5);
export const playExplosion = (): void => burst(0.7, 900, 0.9);
