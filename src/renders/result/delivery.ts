import {
  addressLost,
  hasBegunDirectly,
  type Job,
  type Message,
  type MessageAddress,
  messageRefused,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
  type PostVariant,
  type PostVariantsOptions,
  postDirectly,
  postFirstAccepted,
  postLateNotice,
  withLateNotice,
} from '../../port/index.ts';
import type { FileStore } from '../../store/index.ts';
import { isMade, type Render, type RenderFault } from '../render.ts';
import type { EndMessage, JobRenders, Presentation, Rendered } from './presenter.ts';

/** The end of a job's renders on its way to people. */
export interface Delivery extends Omit<PostVariantsOptions, 'work'> {
  readonly renders: JobRenders<Render>;
  readonly job: Job;
  /** Undefined while the platform is not running. */
  readonly adapter: () => PlatformAdapter | undefined;
  readonly presentation: Presentation;
  readonly spool: FileStore;
}

/** Where the end was posted, or why it could not be posted anywhere. */
export type Delivered = { readonly at: MessageAddress } | { readonly fault: RenderFault };

/**
 * Posts what became of a job's renders, once no matter how often it's called: where it was requested, in the best variant
 * accepted there, or else in a direct message to the requester.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { job, log } = delivery;
  const isReady = delivery.renders.some(isMade);
  const variants = isReady ? variantsOfResult(delivery) : variantsOfEnd(delivery);
  try {
    const posted = postFirstAccepted(variants, { ...delivery, work: `render ${job.id}` });
    const notify = () => postNotPostedYet(delivery);
    return { at: await (isReady ? withLateNotice(posted, { ...delivery, notify }) : posted) };
  } catch (error) {
    delivery.signal.throwIfAborted();
    if (!(error instanceof PlatformError)) throw error;
    log.warn({ render: job.id, isReady, error }, 'the end of a render can be posted nowhere');
    const { kind, detail } = error;
    return { fault: { code: 'delivery', kind, ...(detail !== undefined && { detail }) } };
  }
}

function postNotPostedYet({ renders, job, adapter, presentation }: Delivery): Promise<MessageAddress> {
  const { message: _, ...address } = renders[0].message;
  return postLateNotice(adapter(), job, address, presentation.notPostedYet());
}

function variantsOfResult(delivery: Delivery): PostVariant[] {
  const { renders, presentation } = delivery;
  const [{ message, kind }] = renders;
  const links = linksOf(renders);
  const variant = (name: string, rendered: (limit: number) => Rendered, plain = false) =>
    variantOf(delivery, name, async (adapter) => {
      const limit = await adapter.maxFileBytes(message, kind);
      return presentation.ready(rendered(limit), { plain });
    });
  const file = (limit: number) => renderedWithin(delivery, limit);
  const best = variant('ready', file);
  // The true limit may be lower than the one the platform told beforehand.
  const tooLarge = variant('too-large', (limit) => tooLargeFor(renders, limit));
  const elsewhere = links.length === 0 ? [] : [variant('link', () => ({ elsewhere: { links } }))];
  const plain = variant('plain', links.length === 0 ? file : () => ({ elsewhere: { links } }), true);
  return [
    best.inPlace,
    { ...tooLarge.inPlace, notAfter: notTooLarge },
    ...elsewhere.map(({ inPlace }) => ({ ...inPlace, notAfter: [...addressLost, 'too-large'] as const })),
    { ...plain.inPlace, notAfter: addressLost },
    ...directly(delivery, best),
    tooLargeDirectly(delivery),
    ...elsewhere.flatMap((variant) => directly(delivery, variant)),
  ];
}

/** Tells the requester why where not even direct messages take the file. */
function tooLargeDirectly(delivery: Delivery): PostVariant {
  const { renders, job, presentation } = delivery;
  const key = `${job.id}:too-large:away`;
  return {
    name: 'too-large, away',
    onlyAfter: ['too-large'],
    isBegun: async () => hasBegunDirectly(running(delivery), job, key),
    send: async () => {
      const adapter = running(delivery);
      const direct = await adapter.directMessages(job.address.workspace, job.requester.id, job.address);
      const limit = await adapter.maxFileBytes(direct, renders[0].kind);
      const { message } = presentation.ready(tooLargeFor(renders, limit));
      return adapter.post(direct, message, key);
    },
  };
}

/** The notice that it ended without a result. */
function variantsOfEnd(delivery: Delivery): PostVariant[] {
  const { presentation } = delivery;
  const best = variantOf(delivery, 'ended', async () => presentation.ended());
  const plain = variantOf(delivery, 'ended-plain', async () => presentation.ended({ plain: true }));
  return [best.inPlace, { ...plain.inPlace, notAfter: addressLost }, ...directly(delivery, best)];
}

const notTooLarge = [
  'no-permission',
  'refused',
  'moderated',
  'gone',
  'expired',
  'file-not-allowed',
  'not-a-member',
] as const;

interface PresentedVariant {
  readonly name: string;
  readonly present: (adapter: PlatformAdapter) => Promise<EndMessage>;
  readonly inPlace: PostVariant;
}

function variantOf(delivery: Delivery, name: string, present: PresentedVariant['present']): PresentedVariant {
  const send = async () => {
    const adapter = running(delivery);
    return post(delivery, adapter, await present(adapter), `${delivery.job.id}:${name}`);
  };
  return { name, present, inPlace: { name, send } };
}

/**
 * The same with a mention of the requester, for platforms that then notify them if the channel is closed, and for
 * direct messages if the channel refused the content.
 */
function directly(delivery: Delivery, { name, present }: PresentedVariant): readonly PostVariant[] {
  const { renders, job, presentation } = delivery;
  const key = `${job.id}:${name}:direct`;
  type Post = (
    adapter: PlatformAdapter,
    message: Message,
    why?: PlatformErrorKind,
  ) => Promise<MessageAddress>;
  const send = (post: Post) => async (why?: PlatformErrorKind) => {
    const adapter = running(delivery);
    return post(adapter, (await present(adapter)).message, why);
  };
  const { message: _, ...address } = renders[0].message;
  const mentions = [job.requester.id];
  return [
    {
      name: `${name}, directly`,
      send: send((adapter, message) => adapter.post(address, { ...message, mentions }, key)),
    },
    {
      name: `${name}, away`,
      send: send((adapter, message, why) =>
        postDirectly(adapter, job, message, key, presentation.sentDirectly(why)),
      ),
      onlyAfter: messageRefused,
      isBegun: async () => hasBegunDirectly(running(delivery), job, key),
    },
  ];
}

function running({ adapter, renders: [{ message }] }: Delivery): PlatformAdapter {
  const found = adapter();
  if (!found) throw new PlatformError('unreachable', `${message.platform} is not running`);
  return found;
}

async function post(delivery: Delivery, adapter: PlatformAdapter, end: EndMessage, key: string) {
  const { renders, job, log } = delivery;
  const [{ message }] = renders;
  if (end.as === 'complete') return adapter.complete(message, end.message, key);
  if (end.as === 'edit') {
    await adapter.edit(message, end.message);
    return message;
  }
  const posted = await adapter.post(message, end.message, key);
  // The result is posted, so it doesn't matter much if the progress message can't be edited.
  const unchanged = (error: unknown) =>
    log.warn({ render: job.id, error }, 'the progress message could not be edited');
  if (end.before) await adapter.edit(message, end.before).catch(unchanged);
  return posted;
}

/** What can be posted of a job's results where a file may have `limit` bytes. */
export function renderedWithin(
  { renders, presentation, spool }: Pick<Delivery, 'renders' | 'presentation' | 'spool'>,
  limit: number,
): Rendered {
  const made = renders.filter(isMade);
  if (largestOf(renders) > limit) return tooLargeFor(renders, limit);
  const files = made.map((render, index) => {
    const { id, kind, result } = render;
    if (!result) throw new Error('a render is ready without a result');
    return {
      name: presentation.fileName(render, made.length > 1 ? index + 1 : undefined),
      contentType: result.contentType,
      kind,
      description: presentation.fileDescription(),
      size: result.bytes,
      ...(result.link !== undefined && { original: result.link }),
      open: () => spool.read(id),
    };
  });
  return { files };
}

function tooLargeFor(renders: JobRenders<Render>, limit: number): Rendered {
  return { tooLarge: { bytes: largestOf(renders), limit, links: linksOf(renders) } };
}

function largestOf(renders: JobRenders<Render>): number {
  return Math.max(...renders.map(({ result }) => result?.bytes ?? 0));
}

function linksOf(renders: JobRenders<Render>): readonly string[] {
  return renders.filter(isMade).flatMap(({ result }) => result?.link ?? []);
}
