import { knownVoices, type VoiceGender } from '../../service-rules/voices.ts';
import type { Context } from '../calls.ts';
import {
  anyField,
  anyText,
  decodeErrorValue,
  errorFromAnswer,
  isErrorAlone,
  isObject,
} from '../decode/answer.ts';
import { badResponse, readJson } from '../http/read-json.ts';
import type { Answer } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';

const listBytes = 4 * 2 ** 20;
const mostValues = 50_000;
const listedFor = 600_000;

/** The voices (description, GET /audio/voices). */
export class Voices {
  readonly #context: Context;
  #listed: { ids: readonly string[]; until: number } | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Every voice in the service's list. Free. */
  async list(options: CallOptions = {}): Promise<Voice[]> {
    const { calls, clock, timeouts } = this.#context;
    const voices = await calls.run(
      {
        operation: 'voices',
        group: 'voice',
        method: 'GET',
        path: '/audio/voices',
        accept: 'application/json',
        paid: false,
        limit: timeouts.read,
      },
      options,
      (answer) => this.#read(answer),
    );
    this.#listed = { ids: voices.map((voice) => voice.id), until: clock.steady() + listedFor };
    return voices;
  }

  /** The ids listed in the last ten minutes; otherwise requests the list. */
  async ids(options: CallOptions): Promise<readonly string[]> {
    if (this.#listed && this.#listed.until > this.#context.clock.steady()) return this.#listed.ids;
    return (await this.list(options)).map((voice) => voice.id);
  }

  async #read(answer: Answer): Promise<Voice[]> {
    const bytes = Math.min(listBytes, this.#context.limits.answerBytes);
    const value = await readJson(answer, { bytes, values: mostValues });
    const voices = decodeVoices(value);
    if (voices) return voices;
    const { operation, requestId } = answer;
    if (isErrorAlone(value))
      throw errorFromAnswer({ operation, status: 200, body: decodeErrorValue(value), requestId });
    this.#context.shapes.report(operation, 'list of voices', value);
    throw badResponse(answer, 'the answer is no list of voices');
  }
}

/** A voice of the service. */
export interface Voice {
  id: string;
  /** Display name, if the service has one. */
  name?: string;
  /** Language tags it supports, its default first; empty if unknown. */
  languages: string[];
  /** If the service reports it. */
  gender?: VoiceGender;
}

const listNames = [
  'data',
  'voices',
  'voicelist',
  'items',
  'list',
  'speakers',
  'result',
  'results',
  'records',
];
const idNames = ['voiceid', 'voicetype', 'speakerid', 'id', 'voice', 'speaker', 'name'];
const nameNames = ['displayname', 'title', 'label', 'name', 'nickname'];
const languageNames = ['languages', 'language', 'supportedlanguages', 'lang', 'langs', 'locale', 'locales'];
const genderNames = ['gender', 'sex', 'voicegender'];
const genders: ReadonlyMap<string, VoiceGender> = new Map([
  ...['female', 'f', 'woman', '女', '女声', '女性'].map((word) => [word, 'female'] as const),
  ...['male', 'm', 'man', '男', '男声', '男性'].map((word) => [word, 'male'] as const),
]);
const most = 1_000;
const longest = 256;
/** What no id has, and what would end the code in which people are shown it: backticks, line ends, other control characters. */
const notInIds = /[`\p{Cc}\u2028\u2029]/u;

const known = new Map(knownVoices.map((voice) => [voice.id, voice.languages]));

/**
 * Decodes a list of voices: an array, possibly under `data`, `voices` or similar, of ids or of records; or a record
 * of lists or of voices by id. At most 1,000, without duplicates. `undefined` if it isn't a list.
 */
export function decodeVoices(value: unknown): Voice[] | undefined {
  const list = voiceList(value, 0);
  if (!list) return undefined;
  const voices = new Map<string, Voice>();
  for (const entry of list) {
    const voice = decodeVoice(entry);
    if (voice && voices.size < most && !voices.has(voice.id)) voices.set(voice.id, voice);
  }
  return [...voices.values()];
}

function voiceList(value: unknown, depth: number): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || depth > 2) return undefined;
  const inner = anyField(value, ...listNames);
  if (inner !== undefined) return voiceList(inner, depth + 1);
  if (depth === 0) return undefined;
  const entries = Object.entries(value);
  if (entries.every(([, entry]) => Array.isArray(entry))) return entries.flatMap(([, entry]) => entry);
  return entries.every(([, entry]) => isObject(entry))
    ? entries.map(([id, entry]) => ({ id, ...Object(entry) }))
    : undefined;
}

function decodeVoice(value: unknown): Voice | undefined {
  const id = typeof value === 'string' ? value.trim() : idOf(value);
  if (!id || id.length > longest || notInIds.test(id)) return undefined;
  const name = anyText(value, ...nameNames);
  const told = languagesOf(anyField(value, ...languageNames));
  const languages = told.length > 0 ? told : [...(known.get(id) ?? [])];
  const gender = genders.get(anyText(value, ...genderNames)?.toLowerCase() ?? '');
  return {
    id,
    languages,
    ...(name !== undefined && name !== id && { name: name.slice(0, longest) }),
    ...(gender && { gender }),
  };
}

/** A numeric id belongs to the record rather than the voice if there is also a textual id. */
function idOf(value: unknown): string | undefined {
  const ids = idNames.map((name) => anyText(value, name)).filter((id) => id !== undefined);
  const lettered = idNames.slice(0, -1).map((name) => anyText(value, name));
  return (
    ids.find((id) => known.has(id)) ?? lettered.find((id) => id !== undefined && /\D/.test(id)) ?? ids[0]
  );
}

/** Converts languages' English and native names to tags; keeps tags. */
function languagesOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value.slice(0, 50) : [value];
  const tags = list.flatMap((entry) => {
    const text = typeof entry === 'string' ? entry : anyText(entry, 'code', 'tag', 'id', 'language', 'name');
    return text === undefined ? [] : text.split(/,|;|\/|、|\band\b/i).map((part) => tagOf(part.trim()));
  });
  return [...new Set(tags)].filter((tag) => tag !== '');
}

function tagOf(text: string): string {
  if (/^(?:chinese|mandarin|中文|普通话|汉语|cn|zh)$/i.test(text)) return 'zh-CN';
  if (/^(?:english|英语|英文|en)$/i.test(text)) return 'en';
  return /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/.test(text) ? text.replaceAll('_', '-') : '';
}
