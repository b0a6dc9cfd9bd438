import { extname } from 'node:path';
import { readAtMost } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import {
  type Capabilities,
  type Capability,
  type ClipFormat,
  type OutgoingFile,
  PlatformError,
} from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import { isFailedStatus, slackCode, type SlackFeature, slackFeatures } from '../api/errors.ts';
import { RecentEvents } from '../api/recent-events.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** How long an accepted file type is remembered, in milliseconds, and for how many workspaces. */
const believedFor = 10 * 60_000;
const remembered = 5_000;

/** The scope to see files. */
const reads = 'files:read';

/** Errors where administrators forbid this file type and allow others. */
const kindRefused: readonly (string | undefined)[] = [
  'file_type_not_allowed',
  'blocked_file_type',
  'file_uploads_except_images_disabled',
];

/** File extensions for each kind of file, the best first; any of them will do. */
const endings: Readonly<Record<OutgoingFile['kind'], readonly string[]>> = {
  voice: ['mp3', 'ogg', 'wav'],
  audio: ['mp3'],
  image: ['png'],
  video: ['mp4'],
  file: ['txt'],
};

const features: Readonly<Record<string, SlackFeature>> = {
  mp3: slackFeatures.mp3File,
  ogg: slackFeatures.oggFile,
  wav: slackFeatures.wavFile,
  png: slackFeatures.pngFile,
  mp4: slackFeatures.mp4File,
};

/** Whether Slack refused a file only because of its type. */
export function isKindRefused(error: unknown): boolean {
  return kindRefused.includes(slackCode(error));
}

/**
 * Which file types a workspace allows. Requesting an upload URL shows it and costs nothing; an unused one expires
 * (files.getUploadURLExternal). What shows only when an upload is completed is remembered.
 */
export class FileKinds {
  readonly #api: SlackApi;
  readonly #capabilities: Capabilities;
  readonly #taken: RecentEvents;

  constructor(api: SlackApi, capabilities: Capabilities, clock: Clock) {
    this.#api = api;
    this.#capabilities = capabilities;
    this.#taken = new RecentEvents(clock, believedFor, remembered);
  }

  /**
   * The best allowed extension for a kind of file; undefined where none is allowed. Throws the error where that is about
   * more than the type.
   */
  async endingFor(workspace: string, kind: OutgoingFile['kind']): Promise<string | undefined> {
    for (const ending of endings[kind]) if (await this.#takes(workspace, ending)) return ending;
    return undefined;
  }

  /** The extensions that would do for a kind of file. */
  endings(kind: OutgoingFile['kind']): readonly string[] {
    return endings[kind];
  }

  /** Remembers whether a completed upload was accepted or refused for its type. */
  async note(workspace: string, fileName: string, seen: Capability): Promise<void> {
    const feature = features[extname(fileName).slice(1).toLowerCase()];
    if (feature === undefined) return;
    const known = await this.#capabilities.find(workspace, feature);
    if (known !== seen && (seen === 'refused' || known !== undefined))
      await this.#capabilities.note(workspace, feature, seen);
  }

  async #takes(workspace: string, ending: string): Promise<boolean> {
    const feature = features[ending];
    const known = feature && (await this.#capabilities.find(workspace, feature));
    if (known === 'refused') return false;
    try {
      // A refusal isn’t remembered: an administrator may have changed it since.
      await this.#taken.once(`${workspace} ${ending}`, async () => {
        const args = { filename: `file.${ending}`, length: 1 };
        const answer = await this.#api.call(workspace, 'files.getUploadURLExternal', args);
        // Without it, nothing tells whether a file has arrived. Slack names the scopes in a header.
        const { scopes = [reads] } = answer.response_metadata ?? {};
        if (!scopes.includes(reads)) throw new PlatformError('no-permission', reads);
      });
      return true;
    } catch (error) {
      if (isKindRefused(error)) return false;
      throw error;
    }
  }
}

/** The format of a clip by its file’s extension. */
export function clipFormatOf(ending: string | undefined): ClipFormat {
  if (ending === 'wav') return 'wav';
  return ending === 'ogg' ? 'opus' : 'mp3';
}

/**
 * Downloads a private file. The token goes only to files on Slack’s own hosts: other URLs are refused, and so are redirects,
 * because Slack sends those who may not read a file to a page on another host.
 * @throws {PlatformError} `too-large`, `gone`, also where Slack doesn’t keep it itself, `no-permission`, or `unreachable`, where it
 * may be read later.
 */
export async function download(
  address: string,
  token: string,
  apiUrl: string,
  maxBytes: number,
): Promise<Uint8Array> {
  if (!isSlackFile(address, apiUrl)) throw new PlatformError('gone', 'not an address of Slack');
  try {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    const fault = downloadFault(response);
    if (fault) {
      await response.body?.cancel().catch(() => {});
      throw fault;
    }
    const bytes = await readAtMost(response, maxBytes);
    if (bytes === 'too-large') throw new PlatformError('too-large', bytesInWords(maxBytes));
    return bytes;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError('unreachable', undefined, { cause: error });
  }
}

/** Who may not read a file gets a page to log in, or is sent there. */
function downloadFault({ status, headers }: Response): PlatformError | undefined {
  if (status === 404) return new PlatformError('gone');
  if (status === 429 || isFailedStatus(status)) return new PlatformError('unreachable');
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  return status === 200 && !isPage ? undefined : new PlatformError('no-permission', reads);
}

/**
 * Whether a URL is of a file on a host of Slack’s, over https; so is one at the Web API's domain, where GovSlack has its files
 * (files.slack-gov.com). The Web API's own host counts with plain http, too, if it’s configured that way.
 */
function isSlackFile(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host, hostname, pathname } = new URL(address);
  // Elsewhere on these hosts, the token does what a URL says.
  if (!pathname.startsWith('/files-')) return false;
  const api = new URL(apiUrl);
  if (host === api.host) return protocol === api.protocol;
  const isWithin = (domain: string) => hostname.endsWith(`.${domain}`);
  return (
    protocol === 'https:' && (hostname === 'slack.com' || isWithin('slack.com') || isWithin(api.hostname))
  );
}
