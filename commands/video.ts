import { defineCommand } from '../src/app/define-command.ts';
import { tryAgainButton } from '../src/app/endings.ts';
import { checkVideo } from '../src/app/faults/explain.ts';
import { withImages } from '../src/app/inputs/images.ts';
import {
  largestSeed,
  numbered,
  pick,
  pricedVideo,
  spoiler,
  videoFaults,
  videoRequest,
} from '../src/app/inputs/media-options.ts';
import { conversationOf, madeOf } from '../src/app/job-context.ts';
import { about, factsOf } from '../src/app/presenters/video-presenter.ts';
import { cancelRender, deleteAnswer, reportResult, shareFiles, showHeld } from '../src/app/result-actions.ts';
import { exactly, namedBy, videoCredits } from '../src/credits/index.ts';
import { adapterOf, isPrivate, privateOption } from '../src/port/index.ts';
import { video } from '../src/service-rules/limits.ts';
import { words } from '../src/words/index.ts';
import { videoForms } from '../src/words/spoken-forms.ts';

const imageFile = {
  type: 'file',
  media: 'image',
  reach: 'address',
  description: { en: 'A reference image', 'zh-CN': '参考图片' },
} as const;
const videoFile = {
  type: 'file',
  media: 'video',
  reach: 'address',
  description: { en: 'A reference video, or one to edit', 'zh-CN': '用作参考或要修改的视频' },
} as const;

const options = {
  prompt: {
    type: 'text',
    required: true,
    description: {
      en: 'What happens in the video, or what to change',
      'zh-CN': '视频的内容，或要修改什么',
    },
  },
  duration: {
    type: 'integer',
    min: video.duration.min,
    max: video.duration.max,
    description: {
      en: `Seconds; ${video.duration.default} by default`,
      'zh-CN': `秒数，默认 ${video.duration.default}`,
    },
  },
  resolution: {
    type: 'choice',
    choices: video.resolutions,
    description: {
      en: `${video.defaultResolution} by default`,
      'zh-CN': `默认 ${video.defaultResolution}`,
    },
  },
  quality: {
    type: 'choice',
    choices: video.qualities,
    description: {
      en: 'balanced: quick and cheap; quality: better and steadier',
      'zh-CN': 'balanced 兼顾速度和花费；quality 更好更稳定',
    },
  },
  ratio: {
    type: 'choice',
    choices: video.ratios,
    description: {
      en: `Width to height; ${video.defaultRatio} by default`,
      'zh-CN': `宽高比，默认 ${video.defaultRatio}`,
    },
  },
  generate_audio: {
    type: 'boolean',
    description: { en: 'With sound; on by default', 'zh-CN': '是否带声音，默认带' },
  },
  operation: {
    type: 'choice',
    choices: video.operations,
    description: { en: 'edit changes a video you provide', 'zh-CN': 'edit 修改你提供的视频' },
  },
  seed: {
    type: 'integer',
    min: 0,
    max: largestSeed,
    description: { en: 'The same seed gives the same video again', 'zh-CN': '相同的种子得到相同的视频' },
  },
  ...numbered('image', video.maxReferenceImages, imageFile),
  ...numbered('video', video.maxReferenceVideos, videoFile),
  image_urls: {
    type: 'addresses',
    media: 'image',
    max: video.maxReferenceImages,
    description: {
      en: 'https links to reference images, separated by spaces',
      'zh-CN': '参考图片的 https 链接，用空格分隔',
    },
  },
  video_urls: {
    type: 'addresses',
    media: 'video',
    max: video.maxReferenceVideos,
    description: {
      en: 'https links to reference videos, separated by spaces',
      'zh-CN': '参考视频的 https 链接，用空格分隔',
    },
  },
  private: privateOption,
  spoiler,
} as const;

/** `/video`: a video from words, images or videos, posted in a thread when it is ready. */
export default defineCommand({
  name: 'video',
  localNames: { 'zh-CN': '视频' },
  forms: videoForms,
  description: { en: 'Make a video and post it when it’s ready', 'zh-CN': '做一段视频，做好后发出' },
  help: {
    en: 'You see the price right away. You get your video even if I restart.\nExample: `/video prompt:a cat surfing duration:8 ratio:9:16`',
    'zh-CN': '会立刻显示价格。我重启了，视频也不会丢。\n例如：`/video prompt:冲浪的猫 duration:8 ratio:9:16`',
  },
  options,
  state: madeOf,
  textOption: 'prompt',
  seenBy: 'channel',
  postsFiles: 'video',
  check: async (values) => videoFaults(values),
  operation: () => 'video',
  price: (values) => exactly(videoCredits(pricedVideo(values))),
  defaults: ({ values }) => ({
    duration: values.video_duration,
    resolution: values.video_resolution,
    quality: values.video_quality,
    ratio: values.video_ratio,
    generate_audio: values.video_audio,
  }),
  async run(invocation, dependencies) {
    const { job, settings, requester, reply } = invocation;
    const { conversations, credits, renders, limitsFor } = dependencies;
    const request = videoRequest(await withImages(invocation, dependencies));
    checkVideo(request);
    const say = words(requester.locale);
    const conversationId = await conversations.id(conversationOf(invocation));
    const price = videoCredits(request);
    const { address } = job;
    const threads = isPrivate(job) ? undefined : await adapterOf(dependencies, address).threadsAt?.(address);
    const isInThread = threads?.kind === 'possible';
    const call = {
      job,
      ...limitsFor(requester, settings),
      conversationId,
      kind: 'video',
      model: namedBy.video(request),
      quantity: { seconds: request.duration ?? video.duration.default },
      estimate: exactly(price),
    } as const;
    await renders.whereRoom(job, settings.values.renders_at_once, () =>
      credits.hold([call], async () => {
        const asked = {
          text: say.videoAsked(about(job), price, isInThread),
          unquoted: say.videoAsked(factsOf(job), price, isInThread),
        };
        const root = await reply.say(asked);
        await renders.begin({ job, kind: 'video', request, conversationId, message: root });
      }),
    );
    return 'goes-on';
  },
  isInterim: () => true,
  about,
  // A render on record is carried on by itself.
  interrupted: async (job, _, { renders }) =>
    (await renders.find(job.id))
      ? 'goes-on'
      : { buttons: [tryAgainButton(job, words(job.requester.locale))] },
  actions: {
    share: shareFiles('video', about),
    same_seed: {
      who: 'anyone',
      call: ({ job }) => ({ command: 'video', options: job.options }),
      addedOptions: async ({ job }, { renders }) => {
        const render = await renders.find(job.id);
        const seed = render?.kind === 'video' ? render.seed : undefined;
        return seed === undefined ? {} : { seed };
      },
    },
    new_seed: {
      who: 'anyone',
      call: ({ job }) => {
        const { seed: _, ...options } = job.options;
        return { command: 'video', options };
      },
    },
    edit: {
      who: 'anyone',
      form: (job, locale) => ({
        title: words(locale).edit,
        command: 'video',
        fields: ['prompt', 'duration', 'resolution', 'ratio', 'generate_audio'],
        values: pick(job, ['prompt', 'duration', 'resolution', 'ratio', 'generate_audio']),
      }),
      call: ({ job, values }) => ({ command: 'video', options: { ...job.options, ...values } }),
    },
    cancel: cancelRender,
    show: showHeld,
    remove: deleteAnswer,
    report: reportResult,
  },
});
