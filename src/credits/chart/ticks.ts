/** Values of a chart's axis lines: two to six round numbers from 0, the last not below `highest`. */
export function ticksTo(highest: number): number[] {
  const end = highest > 0 ? highest : 1;
  const rough = end / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.ceil(end / step) + 1 }, (_, index) => index * step);
}
