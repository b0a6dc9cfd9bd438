/** The settings of Slack; their names are those of the environment. */
export interface SlackSettings {
  readonly SLACK_BOT_TOKEN?: string | undefined;
  readonly SLACK_APP_TOKEN?: string | undefined;
  readonly SLACK_SIGNING_SECRET?: string | undefined;
  readonly SLACK_CLIENT_ID?: string | undefined;
  readonly SLACK_CLIENT_SECRET?: string | undefined;
  readonly SLACK_STATE_SECRET?: string | undefined;
  readonly SLACK_COMMAND_PREFIX: string;
  readonly SLACK_API_URL: string;
  readonly HISTORY_TOKENS: number;
  readonly ALLOWED_TEAMS?: readonly string[] | undefined;
}
