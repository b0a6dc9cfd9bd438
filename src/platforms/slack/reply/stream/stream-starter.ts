import type { Address } from '../../../../port/index.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { deleteMessage } from '../../post/delete-message.ts';
import { endStream } from '../../post/end-stream.ts';
import type { NativeStream } from './native-stream.ts';
import type { NativeStreams } from './native-streams.ts';

interface StreamStarterDependencies {
  readonly api: SlackApi;
  readonly nativeStreams: NativeStreams;
  /** Looks for a stream of this answer whose start got no response; `known`: messages that are certainly not it. */
  readonly findLostStream: (known: readonly string[]) => Promise<string | undefined>;
}

/** Starts an answer's streams, and finds the one whose start got no response. */
export class StreamStarter {
  readonly #dependencies: StreamStarterDependencies;
  /** The text of a stream that may exist: its start got no response, and nobody could look for it so far. */
  #lostText: string | undefined;

  constructor(dependencies: StreamStarterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether a stream may exist that nobody knows of. */
  get mayHaveLost(): boolean {
    return this.#lostText !== undefined;
  }

  /** Starts a stream, or takes up the lost one where it exists; undefined where the place takes none now. */
  async start(address: Address, text: string, known: readonly string[]): Promise<NativeStream | undefined> {
    const { nativeStreams } = this.#dependencies;
    const lostText = this.#lostText;
    const found = lostText === undefined ? undefined : await this.#find(lostText, known);
    if (lostText !== undefined && found !== undefined) return nativeStreams.takeUp(address, found, lostText);
    return nativeStreams.start(address, text, () => this.#find(text, known));
  }

  /** The answer ends before its lost stream was found: it's ended and deleted, for an ordinary message has all. */
  async discardLost(address: Address): Promise<void> {
    if (!this.mayHaveLost) return;
    const { api, findLostStream } = this.#dependencies;
    const ts = await findLostStream([]);
    if (ts !== undefined && (await endStream(api, address, ts)) === 'ended')
      await deleteMessage(api, address, ts);
    this.#lostText = undefined;
  }

  async #find(text: string, known: readonly string[]): Promise<string | undefined> {
    this.#lostText = text;
    const found = await this.#dependencies.findLostStream(known);
    this.#lostText = undefined;
    return found;
  }
}
