/** What was seen when a feature was tried. */
export type Capability = 'works' | 'refused';

/** The scope of what was found out for a whole platform rather than for one workspace or server. */
export const everyWorkspace = '*';

/**
 * What a platform really does where its documentation is unclear, learnt by trying: the better way is tried first, and
 * not again for a while if it was refused.
 */
export interface Capabilities {
  /**
   * The result in a workspace or server, or else on the whole platform (`everyWorkspace`); undefined if untried, or tried
   * too long ago.
   */
  find(workspace: string, feature: string): Promise<Capability | undefined>;
  /** Remembers what was seen. */
  note(workspace: string, feature: string, seen: Capability): Promise<void>;
}
