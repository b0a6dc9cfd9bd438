import { randomInt } from 'node:crypto';
import type { PricedVideo } from '../../credits/index.ts';
import { hasTooManyPixels, imageSize, maxImagePixels } from '../../media/index.ts';
import {
  type FileOption,
  type IncomingFile,
  type Job,
  type OptionFault,
  type PlatformAdapter,
  type RawValues,
  refusalOf,
} from '../../port/index.ts';
import type {
  VideoOperation,
  VideoQuality,
  VideoRatio,
  VideoResolution,
} from '../../service-rules/limits.ts';
import { type StreamedText, validateImage, validateVideo, type VideoRequest } from '../../service/index.ts';
import { bytesInWords } from '../../words/index.ts';
import { InputError, optionFaults } from '../faults/explain.ts';

/** The largest image that goes into a request as a data URL, in bytes; base64 makes it a third larger. */
const maxDataBytes = 10 * 1024 ** 2;

/** The files of the options `NAME_1`, `NAME_2`, …, in that order. */
function filesOf(values: object, name: string): readonly [option: string, file: IncomingFile][] {
  return Object.entries(values)
    .filter((entry): entry is [string, IncomingFile] => isFile(entry[1]) && isNumbered(entry[0], name))
    .sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
}

/** URLs the service downloads itself. @throws {InputError} for a file without a public one. */
function publicAddresses(values: object, name: string): string[] {
  return filesOf(values, name).map(([option, file]) => {
    const address = publicAddress(file);
    if (address !== undefined) return address;
    throw new InputError((say) => say.faults('video', [noLink(option, name)]));
  });
}

function publicAddress({ url }: IncomingFile): string | undefined {
  return url?.startsWith('https:') ? url : undefined;
}

function noLink(option: string, name: string): OptionFault {
  return { option, code: 'no-link', allowed: `${name}_urls` };
}

/** Public URLs of images, and data URLs of those without one, whose bytes are in memory. @throws {InputError} for what isn't an image. */
export async function addressesOrData(
  values: object,
  name: string,
  adapter: PlatformAdapter,
): Promise<(string | StreamedText)[]> {
  const references: (string | StreamedText)[] = [];
  for (const [option, file] of filesOf(values, name)) {
    references.push(publicAddress(file) ?? (await dataUrl(option, file, adapter)));
  }
  return references;
}

async function dataUrl(option: string, file: IncomingFile, adapter: PlatformAdapter): Promise<StreamedText> {
  if (file.size > maxDataBytes) throw new InputError((say) => say.faults('imagine', [tooLarge(option)]));
  // Who sends it with a message or a form knows it by no other name.
  const name = file.name.replaceAll('`', "'") || option;
  const bytes = await adapter.readFile(file, maxDataBytes).catch((error: unknown) => {
    throw refusalOf(error) === 'gone' ? new InputError((say) => say.errors.fileGone(name)) : error;
  });
  const image = imageSize(bytes);
  if (!image) throw new InputError((say) => say.errors.notAnImage(name));
  if (hasTooManyPixels(image))
    throw new InputError((say) => say.errors.tooManyPixels(name, maxImagePixels / 1e6));
  return base64Url(image.type, bytes);
}

function tooLarge(option: string): OptionFault {
  return { option, code: 'too-large', allowed: bytesInWords(maxDataBytes) };
}

/** Bytes that are written as base64 at a time: few, so that it doesn't keep the event loop busy; three are four characters. */
const atOnce = 3 * 2 ** 16;

function base64Url(type: string, bytes: Uint8Array): StreamedText {
  const start = Buffer.from(`data:${type};base64,`);
  return {
    bytes: start.byteLength + 4 * Math.ceil(bytes.byteLength / 3),
    async *read() {
      yield start;
      for (let from = 0; from < bytes.byteLength; from += atOnce)
        yield Buffer.from(Buffer.from(bytes.subarray(from, from + atOnce)).toString('base64'));
    },
  };
}

const isNumbered = (option: string, name: string) =>
  option.startsWith(`${name}_`) && /^\d+$/.test(option.slice(name.length + 1));

function isFile(value: unknown): value is IncomingFile {
  return typeof value === 'object' && value !== null && 'source' in value;
}

/** The same file option several times, as `NAME_1`, `NAME_2`, …: platforms take one file per option. */
export function numbered<Name extends string, O extends FileOption>(
  name: Name,
  count: number,
  option: O,
): Readonly<Record<`${Name}_${number}`, O>> {
  const options = Array.from({ length: count }, (_, index) => [`${name}_${index + 1}`, option]);
  return Object.fromEntries(options) as Record<`${Name}_${number}`, O>;
}

/** Some of a job's options, to fill a form with. */
export function pick(job: Job, names: readonly string[]): RawValues {
  const values: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const value = job.options[name];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values[name] = value;
  }
  return values;
}

/** The option that hides a result until a person wants to see it. */
export const spoiler = {
  type: 'boolean',
  description: {
    en: 'Hidden until somebody clicks it; on Slack, in a thread',
    'zh-CN': '点击后才显示；在 Slack 上放在消息列里',
  },
} as const;

/** The largest seed that can be chosen: the largest signed 32-bit integer. */
export const largestSeed = 2_147_483_647;

/** The values of `/video`, besides its files: those are looked up by their names. */
interface VideoValues {
  readonly prompt: string;
  readonly duration?: number;
  readonly resolution?: VideoResolution;
  readonly quality?: VideoQuality;
  readonly ratio?: VideoRatio;
  readonly generate_audio?: boolean;
  readonly operation?: VideoOperation;
  readonly seed?: number;
  readonly image_urls?: readonly string[];
  readonly video_urls?: readonly string[];
}

/** The values that decide the price, before the files' URLs are checked. */
export function pricedVideo(values: VideoValues): PricedVideo {
  const { duration, resolution, quality, operation, video_urls = [] } = values;
  const files = filesOf(values, 'video').map(([, { source }]) => source);
  return { duration, resolution, quality, operation, reference_video_urls: [...files, ...video_urls] };
}

/** In place of a file's URL, which may not be known yet. */
const anyAddress = 'https://example.com/';

/** The addresses of files and links that are given together. */
function addressesOf(values: object, name: string, links: readonly string[] = []): string[] {
  return [...filesOf(values, name).map(() => anyAddress), ...links];
}

/** What's wrong with an image's options together. */
export function imageFaults(values: {
  readonly prompt: string;
  readonly reference_urls?: readonly string[];
}): readonly OptionFault[] {
  const { prompt, reference_urls } = values;
  const request = { prompt, reference_images: addressesOf(values, 'reference', reference_urls) };
  const large = filesOf(values, 'reference')
    .filter(([, file]) => publicAddress(file) === undefined && file.size > maxDataBytes)
    .map(([option]) => tooLarge(option));
  return [...optionFaults(validateImage(request)), ...large];
}

/** What's wrong with a video's options together. */
export function videoFaults(values: VideoValues): readonly OptionFault[] {
  const { prompt, operation, image_urls, video_urls } = values;
  const request = {
    prompt,
    operation,
    reference_image_urls: addressesOf(values, 'image', image_urls),
    reference_video_urls: addressesOf(values, 'video', video_urls),
  };
  const unreachable = (['image', 'video'] as const).flatMap((name) =>
    filesOf(values, name)
      .filter(([, file]) => publicAddress(file) === undefined)
      .map(([option]) => noLink(option, name)),
  );
  return [...optionFaults(validateVideo(request)), ...unreachable];
}

/** The request for a video. Without a seed it gets a random one, so that the same video can be made again. */
export function videoRequest(values: VideoValues): VideoRequest {
  const { prompt, duration, resolution, quality, ratio, generate_audio, operation } = values;
  const images = [...publicAddresses(values, 'image'), ...(values.image_urls ?? [])];
  const videos = [...publicAddresses(values, 'video'), ...(values.video_urls ?? [])];
  return {
    prompt,
    duration,
    resolution,
    quality,
    ratio,
    generate_audio,
    operation,
    seed: values.seed ?? randomInt(largestSeed),
    ...(images.length > 0 && { reference_image_urls: images }),
    ...(videos.length > 0 && { reference_video_urls: videos }),
  };
}
