import { percent, quoted } from '../../lib/text.ts';
import {
  type Button,
  type ButtonAmount,
  isPrivate,
  isSpoiler,
  type Job,
  type Message,
  type PlatformAdapters,
} from '../../port/index.ts';
import {
  type ImageRender,
  isMade,
  type JobRenders,
  type Render,
  type Rendered,
  type RenderPresenter,
  type Whereabouts,
} from '../../renders/index.ts';
import { image } from '../../service-rules/limits.ts';
import { bytesInWords, spanInWords, type Words, words } from '../../words/index.ts';
import {
  jobButton,
  pageButtons,
  removeButton,
  reportButtons,
  shareButtons,
  tryAgainButton,
} from '../endings.ts';
import { linkOf, renderFaults } from '../faults/explain.ts';
import { promptOf, rootOf } from '../job-context.ts';
import { extensionOf, versionIn, versionName } from '../results/image-versions.ts';

/** Images being made, as people see them: one, or several in one message. */
export function imagePresenter(adapters: PlatformAdapters): RenderPresenter<ImageRender> {
  return (renders, job, { buttons: amount = 'all', machineNote }) => {
    const { locale } = job.requester;
    const say = words(locale);
    const version = versionOf(job);
    return {
      fileName: (render, number) => {
        const stem = number === undefined ? versionName(version) : `image-${number}`;
        return `${stem}.${extensionOf(render.result?.contentType)}`;
      },
      isShownBy: (files) => files.some((file) => versionIn(file) >= version),
      progress: ({ elapsed, fraction, position, late, made, isQueued }) => {
        const [{ parts }] = renders;
        const since = spanInWords(elapsed, locale);
        const howFar = parts > 1 ? say.madeOf(made, parts) : percent(fraction);
        const line = position && made === 0 ? say.waitingPlace(position) : say.drawingFor(since, howFar);
        const unquoted = late ? say.takesLong(since) : line;
        const buttons = isQueued ? [jobButton(job, 'cancel', say.cancel)] : [];
        return { text: `${about(job)}\n${unquoted}`, unquoted, buttons };
      },
      ready: (rendered, { plain } = {}) => {
        const missing = renders.filter((render) => !isMade(render));
        const faults =
          missing.length === 0
            ? undefined
            : `⚠️ ${say.someMissing(missing.length, renders.length)} ${renderFaults(missing, say)}`;
        const note = [faults, machineNote].filter(Boolean).join('\n');
        const message = resultMessage(plain ? undefined : about(job), rendered, say, note);
        const buttons = plain
          ? []
          : [
              ...readyButtons(job, {
                shown: 'files' in rendered ? rendered.files.length : 0,
                missing: missing.length,
                amount,
                adapters,
              }),
              ...pageButtons(job, { number: version, count: version }),
            ];
        const { isNew, mentions } = notifying(job, adapters);
        return {
          as: 'complete',
          message: { ...message, ...spoilerOf(job), ...(isNew && mentions), buttons },
          ...(!isNew && mentions && { notice: { text: say.imagesReady(renders.length), ...mentions } }),
        };
      },
      elsewhere: (where) => {
        const unquoted = elsewhere(job, where);
        // The version before is still there.
        const buttons = version === 1 ? [] : buttonsBefore(job, adapters, amount);
        return { text: `${about(job)}\n${unquoted}`, unquoted, buttons };
      },
      before: () =>
        version === 1
          ? undefined
          : { text: about(job), unquoted: '', buttons: buttonsBefore(job, adapters, amount) },
      ended: ({ plain, tookLong = false } = {}) => {
        const text = endText(renders, say);
        const { isNew, mentions } = notifying(job, adapters);
        // The person who canceled it needs no notification.
        const told = isCanceled(renders) ? undefined : mentions;
        const notice = told && { notice: { text: say.imagesFailed(renders.length), ...told } };
        // The version before is still there.
        if (version > 1) {
          const buttons = plain ? [] : buttonsBefore(job, adapters, amount);
          return {
            as: 'edit',
            message: { text: plain ? text : `${about(job)}\n${text}`, unquoted: text, buttons },
            ...notice,
          };
        }
        const again = tryAgainButton(job, say);
        return {
          as: 'complete',
          message: {
            text: plain ? text : `${about(job)}\n${text}`,
            unquoted: text,
            ...linkOf(renders[0]),
            ...spoilerOf(job),
            ...(isNew && tookLong && told),
            buttons: plain ? [] : [again, removeButton(job, say)],
          },
          ...(!isNew && notice),
        };
      },
    };
  };
}

/** Whom the end of images notifies, and whether it's a new message, which can: an edit notifies nobody. */
function notifying(job: Job, adapters: PlatformAdapters) {
  const mentions = isPrivate(job) ? undefined : { mentions: [job.requester.id] };
  return { isNew: adapters(job.address.platform)?.completesAnew === true, mentions };
}

/** Why nothing was made; a warning, unless somebody wanted it so. */
export function endText(renders: JobRenders<Render>, say: Words): string {
  return `${isCanceled(renders) ? '' : '⚠️ '}${renderFaults(renders, say)}`;
}

function isCanceled(renders: JobRenders<Render>): boolean {
  return renders.every(({ fault }) => fault?.code === 'canceled');
}

/** Where a result is that isn't in its place. */
export function elsewhere({ requester: { locale } }: Job, { seenBy, isFetched, why }: Whereabouts): string {
  const say = words(locale);
  if (isFetched) return say.fetched;
  if (seenBy === 'nobody') return say.keptForYou;
  return seenBy === 'place' ? say.postedBelow : say.postedDirectly(why);
}

/** Whether the result stays hidden until a person wants to see it. */
export function spoilerOf(job: Job): { readonly spoiler?: true } {
  return isSpoiler(job) ? { spoiler: true } : {};
}

interface ShownImages {
  /** How many images the message has, and how many it lacks. */
  readonly shown: number;
  readonly missing: number;
  /** How many of the buttons stand there. */
  readonly amount: ButtonAmount;
  readonly adapters: PlatformAdapters;
}

function readyButtons(job: Job, { shown, missing, amount, adapters }: ShownImages): readonly Button[] {
  const say = words(job.requester.locale);
  if (amount === 'none') return [removeButton(job, say)];
  const isAll = amount === 'all';
  const button = (action: string, label: string) => jobButton(job, action, label);
  const isSingle = shown === 1;
  const use = Array.from({ length: shown }, (_, index) =>
    jobButton(job, 'use', say.use(index + 1), index + 1),
  );
  const others = [
    button('again', say.again(countOf(job))),
    ...(isSingle ? [button('edit', say.edit)] : []),
    ...(isAll && isSingle && hasPublicFiles(job, adapters) ? [button('to_video', say.toVideo)] : []),
    ...(missing > 0 ? [button('missing', say.drawMissing(missing))] : []),
    ...shareButtons(job, say),
    // Five stand in a row.
    ...(isAll && !(isSingle && missing > 0) ? reportButtons(job, say, adapters) : []),
    removeButton(job, say),
  ];
  return isSingle || !isAll ? others : [...use, ...others.map((one) => ({ ...one, row: 1 }))];
}

/** The buttons of one image. */
export function imageButtons(job: Job, adapters: PlatformAdapters, amount: ButtonAmount): readonly Button[] {
  return readyButtons(job, { shown: 1, missing: 0, amount, adapters });
}

/** The buttons of the version before the one that a job draws: the first one's, as the job itself may come to nothing. */
function buttonsBefore(job: Job, adapters: PlatformAdapters, amount: ButtonAmount): readonly Button[] {
  const version = versionOf(job) - 1;
  const first = { ...job, id: rootOf(job) };
  const pages = pageButtons(first, { number: version, count: version });
  return [...imageButtons(first, adapters, amount), ...pages];
}

/** Which version of an image a job draws, from 1. */
function versionOf({ options }: Job): number {
  return typeof options.version === 'number' ? options.version : 1;
}

/** What one image of several can be used for. */
export function useButtons(job: Job, number: number, adapters: PlatformAdapters): readonly Button[] {
  const say = words(job.requester.locale);
  const button = (action: string, label: string) => jobButton(job, action, label, number);
  return [
    button('edit', say.edit),
    ...(hasPublicFiles(job, adapters) ? [button('to_video', say.toVideo)] : []),
    button('again', say.again(1)),
  ];
}

function hasPublicFiles({ address }: Job, adapters: PlatformAdapters): boolean {
  return adapters(address.platform)?.hasPublicFiles === true;
}

/** The origin of an image: the prompt, the size, and the number asked for, if several. */
export function about(job: Job): string {
  const { size = image.defaultSize } = job.options;
  const count = countOf(job);
  return `${quoted(promptOf(job))}\n\`${size}\`${count > 1 ? ` × ${count}` : ''}`;
}

/** How many images a job asks for. */
function countOf({ options }: Pick<Job, 'options'>): number {
  return typeof options.count === 'number' ? options.count : 1;
}

/**
 * Results below their prompt (`about`, if given): the files, or the links where they can be downloaded. If moderation
 * doesn't take the prompt, the results are posted alone. `note`: what else there is to say of them.
 */
export function resultMessage(about: string | undefined, rendered: Rendered, say: Words, note = ''): Message {
  const joined = (...lines: readonly (string | undefined)[]) => lines.filter(Boolean).join('\n');
  if ('files' in rendered) {
    const text = joined(about, note);
    return { ...(text && { text, unquoted: note }), files: rendered.files };
  }
  const { text, links } = unposted(rendered, say);
  const [link, ...more] = links;
  // Only one link can be shown with a preview.
  const words = joined(text, ...(more.length > 0 ? links : []), note);
  return {
    text: joined(about, words),
    unquoted: words,
    ...(link !== undefined && more.length === 0 && { link }),
  };
}

function unposted(
  rendered: Exclude<Rendered, { readonly files: unknown }>,
  say: Words,
): { readonly text: string; readonly links: readonly string[] } {
  if ('elsewhere' in rendered) return { text: say.linkOnly, links: rendered.elsewhere.links };
  const { bytes, limit, links } = rendered.tooLarge;
  // A place may take less than it states: then what it takes isn't known.
  const most = limit < bytes ? bytesInWords(limit) : undefined;
  if (links.length === 0) return { text: say.errors.tooLarge(most), links };
  return { text: say.tooLargeHere(bytesInWords(bytes), most), links };
}
