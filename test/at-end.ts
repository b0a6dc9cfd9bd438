type Close = () => unknown;

const ofTest: Close[] = [];
const ofFile: Close[] = [];

/**
 * Closes something after the test, whatever was opened last first; one that fails fails the test, once all are closed.
 * Files share a process and its modules, so a hook at the top of a helper would run for the first file alone;
 * `test/setup.ts` calls these for each.
 */
export const endsWithTest = (close: Close): void => void ofTest.push(close);

/** Closes something after the last test of the file. */
export const endsWithFile = (close: Close): void => void ofFile.push(close);

export const endTest = (): Promise<void> => closeAll(ofTest);
export const endFile = (): Promise<void> => closeAll(ofFile);

async function closeAll(list: Close[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of list.splice(0).toReversed())
    await Promise.try(close).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
