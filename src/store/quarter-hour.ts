const quarterHour = 900_000;

/** The quarter of an hour since the epoch that a moment (milliseconds since the epoch) is in. */
export function quarterHourOf(moment: number): number {
  return Math.floor(moment / quarterHour);
}
