import type { Door } from './door.ts';

/**
 * The doors of a job whose acknowledgement may be the message of its question: nothing comes in there before that's closed,
 * which would otherwise take its place.
 */
export function afterQuestion(
  doors: readonly Door[],
  closeQuestion: () => Promise<void> = async () => {},
): readonly Door[] {
  return doors.map((door) => {
    if (door.name !== 'token' && door.name !== 'aside') return door;
    const put: Door['put'] = async (...content) => {
      await closeQuestion();
      return door.put(...content);
    };
    return { ...door, put };
  });
}
