/**
 * Asked before anything that reaches people or costs credits. Undefined where no other process can have taken this one
 * for dead. Otherwise it resolves once the database has confirmed that nobody did; where somebody did it never resolves,
 * and the process ends.
 */
export type UntilAlive = () => Promise<void> | undefined;
