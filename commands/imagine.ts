import { z } from 'zod';
import { defineCommand } from '../src/app/define-command.ts';
import { tryAgainButton } from '../src/app/endings.ts';
import { checkImage } from '../src/app/faults/explain.ts';
import { imagineThis } from '../src/app/inputs/chosen-message.ts';
import {
  isNewVersion,
  nextVersion,
  pageBy,
  paidImages,
  rememberFile,
  useImage,
  withImages,
} from '../src/app/inputs/images.ts';
import { addressesOrData, imageFaults, numbered, pick, spoiler } from '../src/app/inputs/media-options.ts';
import { conversationOf, madeOf, rootOf } from '../src/app/job-context.ts';
import { about, useButtons } from '../src/app/presenters/image-presenter.ts';
import { cancelRender, deleteAnswer, reportResult, shareFiles, showHeld } from '../src/app/result-actions.ts';
import { creditsOfImage, exactly, namedBy } from '../src/credits/index.ts';
import { adapterOf, type AnyValues, type MessageAddress, privateOption } from '../src/port/index.ts';
import { image } from '../src/service-rules/limits.ts';
import type { ImageRequest } from '../src/service/index.ts';
import { words } from '../src/words/index.ts';
import { imagineForms } from '../src/words/spoken-forms.ts';

/** The most images of one command: what people can compare at a glance. */
const maxCount = 4;

const reference = {
  type: 'file',
  media: 'image',
  reach: 'data',
  description: { en: 'A reference image, or one to edit', 'zh-CN': '用作参考或要修改的图片' },
} as const;

const options = {
  prompt: {
    type: 'text',
    required: true,
    maxCharacters: image.maxPromptCharacters,
    description: { en: 'What the image shows, or what to change', 'zh-CN': '图片的内容，或要修改什么' },
  },
  size: {
    type: 'text',
    pattern: { expression: image.sizePattern, allowed: `${image.sizes.join(', ')}, WIDTHxHEIGHT` },
    suggest: 'sizes',
    description: {
      en: `${image.sizes.join(', ')}, or width x height such as 1920x1080`,
      'zh-CN': `${image.sizes.join('、')}，或宽x高，如 1920x1080`,
    },
  },
  ...numbered('reference', image.maxReferences, reference),
  reference_urls: {
    type: 'addresses',
    media: 'image',
    max: image.maxReferences,
    description: {
      en: 'https links to reference images, separated by spaces',
      'zh-CN': '参考图片的 https 链接，用空格分隔',
    },
  },
  count: {
    type: 'integer',
    min: 1,
    max: maxCount,
    description: {
      en: `How many images, up to ${maxCount}; each costs the same`,
      'zh-CN': `画几张，最多 ${maxCount} 张，按张计费`,
    },
  },
  private: privateOption,
  spoiler,
} as const;

/** The values of buttons. */
const state = madeOf.extend({
  /** The job whose image it's a new version of. */
  version_of: z.string().exactOptional(),
  /** Which version that is, from 1. */
  version: z.int().positive().exactOptional(),
});

/** The references that a form asks for in addition to the image that's edited, which is the first. */
const furtherReferences = Array.from(
  { length: image.maxReferences - 1 },
  (_, index) => `reference_${index + 1}`,
);

/** Values of that form, with each reference one place further back. */
function afterFirstReference(values: AnyValues): AnyValues {
  const moved = Object.entries(values).map(([name, value]) => {
    const index = furtherReferences.indexOf(name);
    return [index < 0 ? name : `reference_${index + 2}`, value] as const;
  });
  return Object.fromEntries(moved);
}

/** `/imagine`: an image from words, or from words and images. */
export default defineCommand({
  name: 'imagine',
  localNames: { 'zh-CN': '画图' },
  forms: imagineForms,
  description: { en: 'Draw an image', 'zh-CN': '画一张图' },
  help: {
    en: `You can add up to ${image.maxReferences} reference images, or images to edit.\nExample: \`/imagine prompt:a lighthouse in a storm, woodcut size:3k\``,
    'zh-CN': `最多可给 ${image.maxReferences} 张参考图。\n例如：\`/imagine prompt:暴风雨中的灯塔，木刻 size:3k\``,
  },
  options,
  state,
  textOption: 'prompt',
  seenBy: 'channel',
  postsFiles: 'image',
  fromMessage: {
    label: { en: 'Imagine this', 'zh-CN': '据此画图' },
    description: {
      en: 'Draws an image from this message and its images',
      'zh-CN': '根据这条消息和其中的图片画图',
    },
    fields: ['prompt', 'size', 'private'],
    begin: imagineThis,
  },
  check: async (values) => imageFaults(values),
  operation: () => 'image',
  price: ({ count = 1 }) => exactly(count * creditsOfImage),
  defaults: ({ values }) => ({ size: values.image_size }),
  async run(invocation, dependencies) {
    const { job, settings, address, requester, reply } = invocation;
    const { conversations, credits, renders, limitsFor } = dependencies;
    const adapter = adapterOf(dependencies, address);
    const values = await withImages(invocation, dependencies);
    const conversationId = await conversations.id(conversationOf(invocation));
    const { count = 1, version_of: root } = values;
    const call = {
      job,
      ...limitsFor(requester, settings),
      conversationId,
      model: namedBy.image(values.size),
    };
    await renders.whereRoom(job, settings.values.renders_at_once, async () => {
      const references = [
        ...(await addressesOrData(values, 'reference', adapter)),
        ...(values.reference_urls ?? []),
      ];
      const request: ImageRequest = {
        prompt: values.prompt,
        response_format: 'url',
        ...(values.size !== undefined && { size: values.size }),
        ...(references.length > 0 && { reference_images: references }),
      };
      checkImage(request);
      const begin = (message: MessageAddress) =>
        renders.begin({ job, kind: 'image', request, conversationId, message, count });
      await credits.hold(paidImages(call, count), async () => {
        if (root !== undefined) return nextVersion(root, job, dependencies, begin);
        const { drawing } = words(requester.locale);
        const message = { text: `${about(job)}\n${drawing}`, unquoted: drawing };
        await begin(await reply.say(message));
      });
    });
    return 'goes-on';
  },
  isInterim: (shown, job) => shown.trimEnd().endsWith(words(job.requester.locale).drawing),
  about,
  // A render on record is carried on by itself.
  interrupted: async (job, _, { renders }) =>
    (await renders.find(job.id))
      ? 'goes-on'
      : { buttons: [tryAgainButton(job, words(job.requester.locale))] },
  actions: {
    share: shareFiles('image', about),
    again: {
      who: 'anyone',
      call: ({ job, argument }) => {
        const { count, version_of: _, version: __, ...one } = job.options;
        const all = count === undefined ? one : { ...one, count };
        return { command: 'imagine', options: argument === undefined ? all : one };
      },
      inPlace: isNewVersion,
      addedOptions: async (press, dependencies): Promise<AnyValues> => {
        if (!(await isNewVersion(press, dependencies))) return {};
        return { version_of: rootOf(press.job) };
      },
    },
    previous: pageBy(-1),
    next: pageBy(1),
    newest: pageBy(0),
    missing: {
      who: 'anyone',
      call: async ({ job }, { renders }) => {
        const count = await renders.countMissing(job.id);
        return count > 0 ? { command: 'imagine', options: { ...job.options, count } } : undefined;
      },
    },
    use: {
      who: 'anyone',
      answers: 'private',
      async run(press, dependencies) {
        const { job, requester, argument = 1, reply } = press;
        await rememberFile(press, dependencies);
        await reply.say({
          text: words(requester.locale).chosen(argument),
          buttons: useButtons({ ...job, requester }, argument, dependencies.adapters),
        });
      },
    },
    cancel: cancelRender,
    show: showHeld,
    edit: {
      who: 'anyone',
      form: (job, locale) => ({
        title: words(locale).edit,
        command: 'imagine',
        fields: ['prompt', 'size', ...furtherReferences, 'private'],
        values: pick(job, ['prompt', 'size']),
      }),
      call: ({ values }) => ({ command: 'imagine', options: afterFirstReference(values) }),
      addedOptions: (press, dependencies) => useImage('reference_1', press, dependencies),
    },
    to_video: {
      who: 'anyone',
      form: (job, locale) => ({
        title: words(locale).toVideo,
        command: 'video',
        fields: ['prompt', 'duration', 'resolution', 'ratio', 'generate_audio'],
        values: pick(job, ['prompt']),
      }),
      call: ({ values }) => ({ command: 'video', options: values }),
      addedOptions: (press, dependencies) => useImage('image_1', press, dependencies),
    },
    remove: deleteAnswer,
    report: reportResult,
  },
});
