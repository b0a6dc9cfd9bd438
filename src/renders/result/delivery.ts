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
import type { Render, RenderFault } from '../render.ts';
import type { Presented, Rendered, RenderPresenter } from './presenter.ts';
import type { Spool } from './spool.ts';

export interface Delivery extends Omit<PostVariantsOptions, 'work'> {
  readonly render: Render;
  readonly job: Job;
  /** Undefined while the platform is not running. */
  readonly adapter: () => PlatformAdapter | undefined;
  readonly presenter: RenderPresenter;
  readonly spool: Spool;
}

/** Where a render's end was posted, or why it could be posted nowhere and in no variant. */
export type Delivered = { readonly at: MessageAddress } | { readonly fault: RenderFault };

/**
 * Posts a render's end, once however often it is called: at its place in the best variant that is taken there, else
 * to its requester directly.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { render, log } = delivery;
  const isReady = render.state === 'ready';
  const variants = isReady ? variantsOfResult(delivery) : variantsOfEnd(delivery);
  try {
    const brought = postFirstAccepted(variants, { ...delivery, work: `render ${render.id}` });
    const tell = () => lateWord(delivery);
    return { at: await (isReady ? withLateNotice(brought, { ...delivery, notify: tell }) : brought) };
  } catch (error) {
    delivery.signal.throwIfAborted();
    if (!(error instanceof PlatformError)) throw error;
    log.warn({ render: render.id, state: render.state, error }, 'the end of a render can be posted nowhere');
    const { kind, detail } = error;
    return { fault: { code: 'delivery', kind, ...(detail !== undefined && { detail }) } };
  }
}

function lateWord({ render, job, adapter, presenter }: Delivery): Promise<MessageAddress> {
  const { message: _, ...place } = render.message;
  return postLateNotice(adapter(), job, place, presenter.notPostedYet(job));
}

function variantsOfResult(delivery: Delivery): PostVariant[] {
  const { render, job, presenter } = delivery;
  const { link } = render.result ?? {};
  const variant = (name: string, rendered: (limit: number) => Rendered, plain = false) =>
    variantOf(delivery, name, async (adapter) => {
      const limit = await adapter.maxFileBytes(render.message, render.kind);
      return presenter.ready(render, job, rendered(limit), { plain });
    });
  const file = (limit: number) => rendered(delivery, limit);
  const best = variant('ready', file);
  // The place's true limit may be lower than what the platform told beforehand.
  const tooLarge = variant('too-large', (limit) => tooLargeFor(render, limit));
  const elsewhere = link === undefined ? [] : [variant('link', () => ({ elsewhere: { link } }))];
  const plain = variant('plain', link === undefined ? file : () => ({ elsewhere: { link } }), true);
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

/** Where not even direct messages hold it, who asked for it hears why. */
function tooLargeDirectly(delivery: Delivery): PostVariant {
  const { render, job, presenter } = delivery;
  const key = `${render.id}:too-large:away`;
  return {
    name: 'too-large, away',
    onlyAfter: ['too-large'],
    isBegun: async () => hasBegunDirectly(running(delivery), job, key),
    send: async () => {
      const adapter = running(delivery);
      const place = await adapter.directMessages(job.address.workspace, job.requester.id);
      const limit = await adapter.maxFileBytes(place, render.kind);
      const { message } = presenter.ready(render, job, tooLargeFor(render, limit));
      return adapter.post(place, message, key);
    },
  };
}

/** That it ended without a result. */
function variantsOfEnd(delivery: Delivery): PostVariant[] {
  const { render, job, presenter } = delivery;
  const best = variantOf(delivery, 'ended', async () => presenter.ended(render, job));
  const plain = variantOf(delivery, 'ended-plain', async () => presenter.ended(render, job, { plain: true }));
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
  readonly present: (adapter: PlatformAdapter) => Promise<Presented>;
  readonly inPlace: PostVariant;
}

function variantOf(delivery: Delivery, name: string, present: PresentedVariant['present']): PresentedVariant {
  const send = async () => {
    const adapter = running(delivery);
    return post(delivery, adapter, await present(adapter), `${delivery.render.id}:${name}`);
  };
  return { name, present, inPlace: { name, send } };
}

/**
 * The same to the requester, who is named in it: a platform that can brings that to them where the place is shut.
 * What the place refuses for its content goes to them alone.
 */
function directly(delivery: Delivery, { name, present }: PresentedVariant): readonly PostVariant[] {
  const { render, job, presenter } = delivery;
  const key = `${render.id}:${name}:direct`;
  type Post = (
    adapter: PlatformAdapter,
    message: Message,
    why?: PlatformErrorKind,
  ) => Promise<MessageAddress>;
  const send = (post: Post) => async (why?: PlatformErrorKind) => {
    const adapter = running(delivery);
    return post(adapter, (await present(adapter)).message, why);
  };
  const { message: _, ...place } = render.message;
  const mentions = [job.requester.id];
  return [
    {
      name: `${name}, directly`,
      send: send((adapter, message) => adapter.post(place, { ...message, mentions }, key)),
    },
    {
      name: `${name}, away`,
      send: send((adapter, message, why) =>
        postDirectly(adapter, job, message, key, presenter.sentDirectly(job, why)),
      ),
      onlyAfter: messageRefused,
      isBegun: async () => hasBegunDirectly(running(delivery), job, key),
    },
  ];
}

function running({ adapter, render }: Delivery): PlatformAdapter {
  const found = adapter();
  if (!found) throw new PlatformError('unreachable', `${render.message.platform} is not running`);
  return found;
}

async function post(delivery: Delivery, adapter: PlatformAdapter, presented: Presented, key: string) {
  const { render, log } = delivery;
  if (presented.as === 'complete') return adapter.complete(render.message, presented.message, key);
  const posted = await adapter.post(render.message, presented.message, key);
  // The result is there: that what showed the progress cannot be changed any more spoils nothing.
  const unchanged = (error: unknown) => log.warn({ render: render.id, error }, 'progress stays as it was');
  if (presented.before) await adapter.edit(render.message, presented.before).catch(unchanged);
  return posted;
}

function rendered({ render, job, presenter, spool }: Delivery, limit: number): Rendered {
  const { result } = render;
  if (!result) throw new Error('a render is ready without a result');
  if (result.bytes > limit) return tooLargeFor(render, limit);
  return {
    file: {
      name: presenter.fileName(render),
      contentType: result.contentType,
      kind: render.kind,
      description: presenter.fileDescription(render, job),
      size: result.bytes,
      ...(result.link !== undefined && { original: result.link }),
      open: () => spool.read(render.id),
    },
  };
}

function tooLargeFor(render: Render, limit: number): Rendered {
  const { bytes = 0, link } = render.result ?? {};
  return { tooLarge: { bytes, limit, ...(link !== undefined && { link }) } };
}
