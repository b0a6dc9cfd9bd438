const quarterHour = 900_000;

/** The quarter of an hour since the epoch that contains a time (milliseconds since the epoch). */
export function quarterHourOf(moment: number): number {
  return Math.floor(moment / quarterHour);
}
