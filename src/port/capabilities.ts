/** What was seen when a feature was tried. */
export type Capability = 'works' | 'refused';

/** The scope of what was found out for a whole platform rather than for one workspace or server. */
export const everyWorkspace = '*';

/**
 * What a platform really does where its documentation leaves it open, found out by trying and remembered: the
 * better way is tried first, and not again for a while where it was refused.
 */
export interface Capabilities {
  /**
   * What was seen in a workspace or server, else on the whole platform (`everyWorkspace`); undefined where nobody
   * has tried, or too long ago.
   */
  find(workspace: string, feature: string): Promise<Capability | undefined>;
  /** Remembers what was seen. */
  note(workspace: string, feature: string, seen: Capability): Promise<void>;
}
