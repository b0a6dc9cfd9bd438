import {
  fileOf,
  type Job,
  type Message,
  type MessageAddress,
  type Outlet,
  OutletError,
  type OutletErrorKind,
  placeLost,
  type Variant,
} from '../port/index.ts';
import { splitMarkdown } from '../reply/index.ts';
import type { DeliveryWords } from './deliveries.ts';

/** What has to reach people. */
export interface Pending {
  /** At most one file. */
  readonly message: Message;
  /** The messages that show the beginning of a growing answer. */
  readonly shown?: readonly MessageAddress[];
  /** What the last of those shows. */
  readonly shownText?: string;
}

export interface Late {
  readonly job: Job;
  readonly pending: Pending;
  readonly say: DeliveryWords;
  /** Undefined while the platform is not running. */
  readonly outlet: () => Outlet | undefined;
}

/** Every way in which a late answer can be brought to people, the best first. */
export function variantsOf({ job, pending, say, outlet }: Late): readonly Variant[] {
  const { message, shown = [] } = pending;
  const [file] = message.files ?? [];
  const running = () => {
    const found = outlet();
    if (!found) throw new OutletError('unreachable', `${job.address.platform} is not running`);
    return found;
  };
  if (isPrivate(job)) return [{ name: 'private', send: () => settled(running(), job, message) }];
  const post = (name: string, content: Message) => ({
    name,
    send: async () => running().post(job.address, content, `${job.id}:${name}`),
  });
  const here = (name: string, content: Message, notAfter = placeLost) => ({
    ...post(name, content),
    notAfter,
  });
  const directly = { ...message, mentions: [job.requester.id] };
  if (file)
    return [
      post('late', message),
      ...asAudio(message).map((audio) => here('late-audio', audio)),
      here('late-bare', { files: [file] }),
      post('late-direct', directly),
    ];
  return [
    ...(shown.length > 0
      ? [{ name: 'late-rest', send: () => continued(running(), job, message, shown) }]
      : []),
    here('late', message, moderated),
    here('late-plain', { text: message.text ?? '' }, [...placeLost, ...moderated]),
    here('late-file', asFile(message, say), [...placeLost, ...moderated]),
    here('late-direct', directly, moderated),
    { name: 'late-away', send: () => postedAway(running(), job, message), onlyAfter: moderated },
  ];
}

/** What a place's moderation blocked stays out of that place in every form. */
const moderated: readonly OutletErrorKind[] = ['moderated'];

/** To its requester alone, where the place is not asked again. */
async function postedAway(outlet: Outlet, job: Job, message: Message): Promise<MessageAddress> {
  const { address, requester } = job;
  const direct = await outlet.directMessages(address.workspace, requester.id);
  return outlet.post(direct, message, `${job.id}:late-away`);
}

/** Only the requester may see it. */
function isPrivate({ options }: Job): boolean {
  return options.private === true;
}

async function settled(outlet: Outlet, job: Job, message: Message): Promise<MessageAddress> {
  if (!job.acknowledgement || !outlet.settle) throw new OutletError('expired');
  await outlet.settle(job.acknowledgement, message);
  return { ...job.address, message: '' };
}

/** Goes on below what is shown: the last message gets what it lacks, the others follow. */
async function continued(
  outlet: Outlet,
  job: Job,
  { text = '', buttons }: Message,
  shown: readonly MessageAddress[],
): Promise<MessageAddress> {
  const from = shown.length - 1;
  let last = shown[from] as MessageAddress;
  const { message: _, ...place } = last;
  const pieces = splitMarkdown(
    text,
    (await outlet.pieces?.(last)) ?? { maxLength: Number.POSITIVE_INFINITY },
  );
  for (const [index, piece] of pieces.entries()) {
    if (index < from) continue;
    const content = { text: piece, ...(index === pieces.length - 1 && buttons && { buttons }) };
    if (index === from && (await isEdited(outlet, last, content))) continue;
    last = await outlet.post(place, content, `${job.id}:late-rest:${index}`);
  }
  return last;
}

/** False where somebody deleted the message, or nothing changes it any more: its words are to be posted anew. */
async function isEdited(outlet: Outlet, message: MessageAddress, content: Message): Promise<boolean> {
  try {
    await outlet.edit(message, content);
    return true;
  } catch (error) {
    if (!(error instanceof OutletError) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    return false;
  }
}

/** A clip that cannot be a voice message is a file. */
function asAudio(message: Message): readonly Message[] {
  const [file] = message.files ?? [];
  return file?.kind === 'voice' ? [{ ...message, files: [{ ...file, kind: 'audio' }] }] : [];
}

function asFile({ text = '' }: Message, say: DeliveryWords): Message {
  const about = {
    name: 'answer.md',
    contentType: 'text/markdown; charset=utf-8',
    kind: 'file',
    description: say.answerAsFile,
  } as const;
  return { files: [fileOf(Buffer.from(text), about)] };
}
