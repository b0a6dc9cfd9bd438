import type { Random } from '../../random.ts';
import type { TimeOfDay } from './motifs.ts';

/** `#rrggbb`. */
export type Color = `#${string}`;

/** `amount` 0 gives `from`, 1 gives `to`. */
export function mix(from: Color, to: Color, amount: number): Color {
  const target = channels(to);
  return hex(channels(from).map((value, index) => value + ((target[index] ?? 0) - value) * amount));
}

/** The color as `rgba()`. */
export function translucent(color: Color, alpha: number): string {
  return `rgba(${channels(color).join(', ')}, ${alpha})`;
}

/** Rotates the hue by `degrees`, with nearly the same lightness. */
export function turnHue(color: Color, degrees: number): Color {
  const [red = 0, green = 0, blue = 0] = channels(color);
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  const [u, v] = [0.492 * (blue - luma), 0.877 * (red - luma)];
  const [turnedU, turnedV] = [u * cos - v * sin, u * sin + v * cos];
  return hex([luma + 1.14 * turnedV, luma - 0.395 * turnedU - 0.581 * turnedV, luma + 2.033 * turnedU]);
}

function channels(color: Color): number[] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function hex(values: readonly number[]): Color {
  return `#${Buffer.from(Uint8ClampedArray.from(values)).toString('hex')}`;
}

/** The colors of an image. */
export interface Palette {
  /** From zenith to horizon. */
  readonly sky: readonly [Color, Color, Color];
  /** The sun or moon, and everything it lights. */
  readonly light: Color;
  /** The foreground; distant things are mixed with the horizon. */
  readonly ground: Color;
  /** Accents. */
  readonly accent: Color;
}

const palettes: Record<TimeOfDay, readonly [Palette, ...Palette[]]> = {
  dawn: [
    { sky: ['#5c86c9', '#eab4c4', '#ffe7cc'], light: '#fff6e2', ground: '#263a5e', accent: '#f28482' },
    { sky: ['#6db3c8', '#c7e2d4', '#fff1d4'], light: '#fffdf2', ground: '#1f4a58', accent: '#f6a35c' },
    { sky: ['#8f7cc3', '#f3a6a6', '#ffe0b5'], light: '#fff3d9', ground: '#3a2a57', accent: '#ff8c61' },
  ],
  day: [
    { sky: ['#2a7fd0', '#79c0ee', '#e2f5f7'], light: '#fffbe3', ground: '#174a45', accent: '#ff7b54' },
    { sky: ['#1b9ab3', '#86d9cf', '#f7f7da'], light: '#fffdf0', ground: '#0f4551', accent: '#ffb703' },
    { sky: ['#efb93f', '#f8dba2', '#fff6e2'], light: '#f4743b', ground: '#47352b', accent: '#3d8b7d' },
    { sky: ['#4f9fd8', '#a8d8ea', '#fdf0e6'], light: '#ffffff', ground: '#2c4a3b', accent: '#ee6c8a' },
  ],
  dusk: [
    { sky: ['#2b1b4e', '#9a3f7d', '#ff9f6b'], light: '#ffe5ad', ground: '#1a0f30', accent: '#ff6f91' },
    { sky: ['#1e2b60', '#c65f7f', '#ffc67f'], light: '#fff2cc', ground: '#141833', accent: '#ffd166' },
    { sky: ['#47214b', '#d6505c', '#f8bd73'], light: '#fff0c2', ground: '#26112b', accent: '#f4a259' },
    { sky: ['#0f3b5c', '#4f8f9e', '#ffcf8f'], light: '#fff3d6', ground: '#0b2435', accent: '#ff8a5c' },
  ],
  night: [
    { sky: ['#070b24', '#16264f', '#41608f'], light: '#f6f2dc', ground: '#040714', accent: '#ffd97d' },
    { sky: ['#10032a', '#2c1257', '#733077'], light: '#fbe8ff', ground: '#0a0218', accent: '#ff6fae' },
    { sky: ['#04151f', '#0b3f4f', '#2f8180'], light: '#e9fff4', ground: '#020d14', accent: '#8ef6c8' },
  ],
};

/** A palette for the time of day, with the hue shifted, towards a color in the prompt if it names one. */
export function choosePalette(time: TimeOfDay, random: Random, tint?: Color): Palette {
  const chosen = random.pick(palettes[time]);
  const degrees = random.between(-14, 14);
  const shade = (color: Color, amount: number) => {
    const turned = turnHue(color, degrees);
    return tint ? mix(turned, tint, amount) : turned;
  };
  const [zenith, middle, horizon] = chosen.sky;
  return {
    sky: [shade(zenith, 0.12), shade(middle, 0.18), shade(horizon, 0.06)],
    light: chosen.light,
    ground: shade(chosen.ground, 0.06),
    accent: tint ?? turnHue(chosen.accent, degrees),
  };
}
