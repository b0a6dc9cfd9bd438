import { extname } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import type { Capabilities, Capability, ClipFormat, OutgoingFile } from '../../../port/index.ts';
import { slackCode } from '../api/errors.ts';
import { type SlackFeature, slackFeatures } from '../api/features.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { RecentEvents } from '../receive/recent-events.ts';

/** A workspace that takes a kind of file is asked again after so long, in milliseconds; so many are remembered. */
const believedFor = 10 * 60_000;
const remembered = 5_000;

/** What Slack answers where administrators forbid this kind of file and take others. */
const kindRefused: readonly (string | undefined)[] = [
  'file_type_not_allowed',
  'blocked_file_type',
  'file_uploads_except_images_disabled',
];

/** Endings of the files that are posted as a kind, the best first; any one of them serves. */
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

/** Whether Slack refused a file for its kind alone. */
export function isKindRefused(error: unknown): boolean {
  return kindRefused.includes(slackCode(error));
}

/**
 * Which kinds of file a workspace takes. An address for an upload tells it and costs nothing; one that is never used
 * is forgotten (files.getUploadURLExternal). What shows only when an upload is completed is remembered.
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
   * The best ending for a kind of file that the workspace takes; undefined where it takes none of them. Throws what
   * Slack says where that is about more than the kind.
   */
  async endingFor(workspace: string, kind: OutgoingFile['kind']): Promise<string | undefined> {
    for (const ending of endings[kind]) if (await this.#takes(workspace, ending)) return ending;
    return undefined;
  }

  /** The endings that would serve for a kind of file. */
  endings(kind: OutgoingFile['kind']): readonly string[] {
    return endings[kind];
  }

  /** Remembers that an upload was taken, or refused for its kind, where an address for it had been given. */
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
      // Where it is refused that is not remembered: an administrator may have changed it since.
      await this.#taken.once(`${workspace} ${ending}`, async () => {
        const args = { filename: `file.${ending}`, length: 1 };
        await this.#api.call(workspace, 'files.getUploadURLExternal', args);
      });
      return true;
    } catch (error) {
      if (isKindRefused(error)) return false;
      throw error;
    }
  }
}

/** The format of a clip by the ending of its file. */
export function clipFormatOf(ending: string | undefined): ClipFormat {
  if (ending === 'wav') return 'wav';
  return ending === 'ogg' ? 'opus' : 'mp3';
}
