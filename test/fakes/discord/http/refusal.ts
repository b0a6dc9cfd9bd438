/** The part of a request body that a form error is about, dotted: `components.0.components.1.label`. */
export type FieldPath = string;

interface FieldError {
  readonly code: string;
  readonly message: string;
}

/** A response other than success, with Discord's own code (topics/opcodes-and-status-codes). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly fields: ReadonlyMap<FieldPath, FieldError>;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: number,
    message: string,
    more: {
      fields?: ReadonlyMap<FieldPath, FieldError>;
      headers?: Record<string, string>;
      extra?: Record<string, unknown>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = more.fields ?? new Map();
    this.headers = more.headers ?? {};
    this.extra = more.extra ?? {};
  }

  /** The body as Discord writes it: form errors are a tree with `_errors` at the leaves. */
  body(): Record<string, unknown> {
    const body: Record<string, unknown> = { message: this.message, code: this.code, ...this.extra };
    if (this.fields.size > 0) body.errors = errorTree(this.fields);
    return body;
  }

  /** Form errors as requests by a token were seen to get them: `{"components": ["0"]}`. */
  bareBody(): Record<string, unknown> {
    const steps = [...this.fields].map(([path, { message }]) => [...path.split('.'), message] as const);
    return Object.fromEntries(steps.map(([field, detail]) => [field, [detail]]));
  }
}

function errorTree(fields: ReadonlyMap<FieldPath, FieldError>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, error] of fields) {
    let node = root;
    for (const step of path.split('.')) {
      node[step] ??= {};
      node = node[step] as Record<string, unknown>;
    }
    node._errors = [error];
  }
  return root;
}

/** 50035 for one field. */
export function invalidField(path: FieldPath, code: string, message: string): Refusal {
  return new Refusal(400, 50035, 'Invalid Form Body', { fields: new Map([[path, { code, message }]]) });
}

/** The refusals without data of their own, by their names in Discord's table. */
export const refusals = {
  unauthorized: () => new Refusal(401, 0, '401: Unauthorized'),
  noSuchRoute: () => new Refusal(404, 0, '404: Not Found'),
  unknownChannel: () => new Refusal(404, 10003, 'Unknown Channel'),
  unknownGuild: () => new Refusal(404, 10004, 'Unknown Guild'),
  unknownMember: () => new Refusal(404, 10007, 'Unknown Member'),
  unknownMessage: () => new Refusal(404, 10008, 'Unknown Message'),
  unknownUser: () => new Refusal(404, 10013, 'Unknown User'),
  unknownWebhook: () => new Refusal(404, 10015, 'Unknown Webhook'),
  unknownInteraction: () => new Refusal(404, 10062, 'Unknown interaction'),
  unknownCommand: () => new Refusal(404, 10063, 'Unknown application command'),
  entryPointRemoved: () =>
    new Refusal(400, 50240, "The app's Entry Point command can't be removed by a bulk update"),
  dailyCommandCreates: () =>
    new Refusal(400, 30034, 'Maximum number of daily application command creates has been reached (200)'),
  tooManyLateEdits: () =>
    new Refusal(
      429,
      30046,
      'Maximum number of edits to messages older than 1 hour reached. Try again later.',
      // As short as reported; the message takes no edit after that either.
      { extra: { retry_after: 0.2, global: false }, headers: { 'retry-after': '0.2' } },
    ),
  tooManyPublishedEdits: (seconds: number) =>
    new Refusal(
      429,
      20028,
      'The write action you are performing on the channel has hit the write rate limit.',
      // The header doesn’t say how long it really lasts (discord-api-docs#6109).
      {
        extra: { retry_after: seconds, global: false },
        headers: { 'retry-after': '1', 'x-ratelimit-scope': 'shared' },
      },
    ),
  tooLarge: () => new Refusal(413, 40005, 'Request entity too large'),
  alreadyAcknowledged: () => new Refusal(400, 40060, 'Interaction has already been acknowledged.'),
  tooManyFollowUps: () =>
    new Refusal(400, 40094, 'This interaction has hit the maximum number of follow up messages.'),
  missingAccess: () => new Refusal(403, 50001, 'Missing Access'),
  notYourMessage: () => new Refusal(403, 50005, 'Cannot edit a message authored by another user'),
  emptyMessage: () => new Refusal(400, 50006, 'Cannot send an empty message'),
  directMessagesClosed: () => new Refusal(403, 50007, 'Cannot send messages to this user'),
  missingPermissions: () => new Refusal(403, 50013, 'Missing Permissions'),
  wrongChannelType: () => new Refusal(400, 50024, 'Cannot execute action on this channel type'),
  invalidWebhookToken: () => new Refusal(401, 50027, 'Invalid Webhook Token'),
  archivedThread: () => new Refusal(400, 50083, 'Thread is archived'),
  voiceNeedsOneAudioFile: () =>
    new Refusal(400, 50160, 'Voice messages must have a single audio attachment.'),
  voiceNeedsMetadata: () => new Refusal(400, 50161, 'Voice messages must have supporting metadata.'),
  voiceNotEditable: () => new Refusal(400, 50162, 'Voice messages cannot be edited.'),
  voiceNotAllowedHere: () => new Refusal(403, 50173, 'Cannot send voice messages in this channel.'),
  replyNeedsHistory: () =>
    new Refusal(403, 160002, 'Cannot reply without permission to read message history'),
  blockedMessage: () => new Refusal(400, 200000, 'Message was blocked by automatic moderation'),
  harmfulLink: () => new Refusal(400, 240000, 'Message blocked by harmful links filter'),
  blockedTitle: () => new Refusal(400, 200001, 'Title was blocked by automatic moderation'),
  noMutualGuild: () =>
    new Refusal(403, 50278, 'Cannot send messages to this user due to having no mutual guilds'),
  /** As reported; it isn't documented (discord-api-docs#2669, Dragory/modmailbot#490). */
  flaggedForSpam: () =>
    new Refusal(403, 20026, 'Your bot has been flagged by our anti-spam system for abusive behavior.'),
  directMessagesTooFast: () => new Refusal(400, 40003, 'You are opening direct messages too fast'),
  sendingDisabled: () => new Refusal(400, 40004, 'Send messages has been temporarily disabled'),
  featureDisabled: () => new Refusal(403, 40006, 'This feature has been temporarily disabled server-side'),
  /** As reported (discord-api-docs#7796). */
  uploadsLimited: () => new Refusal(403, 400001, 'Access to file uploads has been limited for this guild'),
  cloudflare: () =>
    new Refusal(
      403,
      40333,
      'Cloudflare is blocking your request. This can often be resolved by setting a proper User Agent',
    ),
  overloaded: () =>
    new Refusal(400, 130000, 'API resource is currently overloaded. Try again a little later'),
  /** Discord itself fails. */
  brokenDown: () => new Refusal(500, 0, '500: Internal Server Error'),
  /** An unknown code. */
  unheardOf: () => new Refusal(400, 990000, 'Something new'),
  threadExists: () => new Refusal(400, 160004, 'A thread has already been created for this message'),
  tooManyInThread: () =>
    new Refusal(400, 30033, 'Maximum number of thread participants has been reached (1000)'),
  tooManyThreads: () => new Refusal(400, 160006, 'Maximum number of active threads reached'),
  tooManyAnnouncementThreads: () =>
    new Refusal(400, 160007, 'Maximum number of active announcement threads reached'),
  lockedThread: () => new Refusal(403, 160005, 'Thread is locked'),
} as const;
