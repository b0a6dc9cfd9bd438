import type { Commands } from '../interactions/commands.ts';
import type { Interactions } from '../interactions/interactions.ts';
import type { Messages } from '../messages/messages.ts';
import type { Threads } from '../messages/threads.ts';
import type { World } from '../world.ts';
import { type Fields, isFields } from './fields.ts';
import type { UploadedFile } from './form-data.ts';
import type { BucketName } from './rate-limits.ts';
import { invalidField } from './refusal.ts';

/** What a route is called with. */
export interface Dependencies {
  readonly world: World;
  readonly messages: Messages;
  readonly interactions: Interactions;
  readonly threads: Threads;
  readonly commands: Commands;
  readonly gatewayInfo: () => Fields;
}

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly uploads: readonly UploadedFile[];
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** One operation; `template` is its path in Discord's OpenAPI description. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly template: string;
  readonly bucket: BucketName;
  /** False: the token in the path authorises it, and it doesn't count towards the bot's global limit. */
  readonly byBot: boolean;
  /** Besides that it counts as this, by the channel it's about. */
  readonly inChannel?: BucketName;
  readonly run: (dependencies: Dependencies, call: Call) => Answer;
}

/** A response with a body. */
export const ok = (body: unknown): Answer => ({ status: 200, body });
/** A response without one. */
export const done: Answer = { status: 204 };

/** Writes an operation down as `METHOD /path/{name}`. */
export function route(
  name: `${Route['method']} /${string}`,
  bucket: BucketName,
  run: Route['run'],
  byBot = true,
  inChannel?: BucketName,
): Route {
  const [method, template] = name.split(' ') as [Route['method'], string];
  return { method, template, bucket, byBot, run, ...(inChannel && { inChannel }) };
}

/** A request's JSON as an object; an absent one is empty. */
export function fieldsOf(json: unknown): Fields {
  if (json === undefined) return {};
  if (!isFields(json))
    throw invalidField('', 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  return json;
}
