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
  const digits = values.map((value) =>
    Math.max(0, Math.min(255, Math.round(value)))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
}
