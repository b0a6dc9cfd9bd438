import { put, readContent } from '../messages/messages.ts';
import type { Channel, Ephemeral, Json, Message, Workspace } from '../records.ts';
import type { World } from '../world.ts';
import { Arguments } from './arguments.ts';
import { Failure } from './failure.ts';
import { limits } from './limits.ts';

interface ResponseUrl {
  readonly workspace: Workspace;
  readonly channel: Channel;
  readonly user: string;
  readonly madeAt: number;
  /** The message whose button made it, if one did. */
  about: Message | Ephemeral | undefined;
  uses: number;
}

/** Addresses that let the app answer for half an hour, five times, members or not; never in a thread. */
export class ResponseUrls {
  readonly #world: World;
  readonly #made = new Map<string, ResponseUrl>();
  origin = '';

  constructor(world: World) {
    this.#world = world;
  }

  /** What every use is answered with instead of being carried out. */
  status: number | undefined;

  make(made: Omit<ResponseUrl, 'madeAt' | 'uses'>): string {
    const id = this.#world.secret('');
    this.#made.set(id, { ...made, madeAt: this.#world.clock.now(), uses: 0 });
    return `${this.origin}/commands/${made.workspace.id}/${id}`;
  }

  /** Uses made of an address. */
  uses(url: string): number {
    return this.#made.get(url.split('/').at(-1) ?? '')?.uses ?? 0;
  }

  /** What is posted to an address. */
  receive(id: string, body: string): { status: number; answer: string } {
    const made = this.#made.get(id);
    if (!made) return { status: 404, answer: 'No hooks' };
    if (this.status !== undefined) return { status: this.status, answer: '' };
    if (this.#world.clock.now() - made.madeAt > limits.responseUrl.lifeMs) return refused('expired_url');
    if (made.uses >= limits.responseUrl.uses) return refused('used_url');
    try {
      const args = Arguments.parse(body, 'application/json');
      if (args.has('thread_ts')) throw new Failure('invalid_thread_ts');
      if (this.#isUnreadable(args)) return { status: 500, answer: '' };
      this.#carryOut(made, args);
      made.uses += 1;
      return { status: 200, answer: 'ok' };
    } catch (error) {
      if (error instanceof Failure) return refused(error.code);
      throw error;
    }
  }

  /** What incoming webhooks answer to `markdown` blocks (gofish-graphics#602): an empty 500. */
  #isUnreadable(args: Arguments): boolean {
    const blocks = args.list('blocks', 'invalid_blocks_format') ?? [];
    const hasMarkdown = blocks.some(({ type }) => type === 'markdown');
    return hasMarkdown && this.#world.readings.markdownOverResponseUrl === 'refused';
  }

  #carryOut(made: ResponseUrl, args: Arguments): void {
    if (args.flag('delete_original')) {
      this.#deleteOriginal(made);
      return;
    }
    // Unlike chat.postMessage it knows no `markdown_text`.
    if (args.has('markdown_text')) throw new Failure('no_text');
    const content = readContent(args, this.#world);
    if (!content.text && !content.markdown && !content.blocks?.length) throw new Failure('no_text');
    if (args.flag('replace_original') && made.about) {
      Object.assign(made.about, {
        text: content.text ?? '',
        blocks: content.blocks ?? [],
        ...('markdown' in made.about ? { markdown: content.markdown, edited: true } : {}),
      });
      return;
    }
    this.post(made, content, args.text('response_type') === 'in_channel', args, 'response_url');
  }

  /** Posts for a response address or an acknowledgement's own text. */
  post(
    made: Pick<ResponseUrl, 'workspace' | 'channel' | 'user'>,
    content: ReturnType<typeof readContent>,
    inChannel: boolean,
    args: Arguments,
    via: 'response_url' | 'acknowledgement',
  ): Message | Ephemeral {
    const { workspace, channel, user } = made;
    if (inChannel) {
      const unfurl = !(args.text('unfurl_links') === 'false' && args.text('unfurl_media') === 'false');
      return put(this.#world, channel, { user: workspace.botUser, byApp: true, content, unfurl });
    }
    const ephemeral: Ephemeral = {
      channel: channel.id,
      user,
      threadTs: undefined,
      ts: this.#world.ts(),
      text: content.text ?? content.markdown ?? '',
      blocks: content.blocks ?? [],
      via,
    };
    workspace.ephemerals.push(ephemeral);
    return ephemeral;
  }

  #deleteOriginal(made: ResponseUrl): void {
    const { about, workspace, channel } = made;
    if (!about) throw new Failure('invalid_arguments');
    if ('via' in about) workspace.ephemerals.splice(workspace.ephemerals.indexOf(about), 1);
    else channel.messages.delete(about.ts);
  }
}

function refused(error: string): { status: number; answer: string } {
  const answer: Json = { ok: false, error };
  return { status: 404, answer: JSON.stringify(answer) };
}
