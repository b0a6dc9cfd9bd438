import { anyField, isObject } from './read.ts';

const names = ['progress', 'taskprogress', 'completion', 'fraction'];
const percentNames = ['percent', 'percentage', 'progresspercent', 'progresspercentage'];

/**
 * A task's progress as a fraction, 0 to 1, from `0.45`, `45`, `"45%"`, `{percent: 45}`. Values up to 1 count as a
 * fraction, above as a percentage, unless the field's name or a percent sign says otherwise.
 */
export function decodeProgress(task: unknown, nested = false): number | undefined {
  const percent = amount(anyField(task, ...percentNames));
  if (percent !== undefined) return clamp(percent / 100);
  const value = anyField(task, ...names);
  if (isObject(value)) return nested ? undefined : decodeProgress({ ...value, progress: value.value }, true);
  const progress = amount(value);
  if (progress === undefined) return undefined;
  const isPercent = progress > 1 || (typeof value === 'string' && value.includes('%'));
  return clamp(isPercent ? progress / 100 : progress);
}

function amount(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const digits =
    typeof value === 'string' ? /^(-?\d{1,9}(?:\.\d{1,9})?)\s*%?$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function clamp(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
