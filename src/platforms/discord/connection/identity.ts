/** Who the bot is. */
export interface Identity {
  /** Its user's id. */
  readonly id: string;
  readonly name: string;
  readonly applicationId: string;
}
