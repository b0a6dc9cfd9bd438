/** A person has as many renders under way in a channel as they may: nothing was begun, and nothing was spent. */
export class TooManyRendersError extends Error {
  override name = 'TooManyRendersError';
  /** How many they may have. */
  readonly most: number;

  constructor(most: number) {
    super(`${most} renders are under way`);
    this.most = most;
  }
}
