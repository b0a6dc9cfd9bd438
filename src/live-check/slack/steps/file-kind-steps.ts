import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { emptyMp4, onePixelPng, shortMp3, shortWav, silentVoiceMessage } from '../../sample-files.ts';
import { type Step, works } from '../../step.ts';
import type { SlackContext } from '../context.ts';
import { type Sample, upload } from '../upload.ts';

const clips = {
  works: 'posts clips in the first of mp3, ogg and wav that works',
  refused: 'posts clips in another of these; refuses /speak if none works',
};
const before = 'before anything is paid for';

/** The types of file that troupe posts: administrators may forbid any of them. The samples aren't shared. */
export const fileKindSteps: readonly Step<SlackContext>[] = [
  kind(slackFeatures.mp3File, { extension: 'mp3', bytes: shortMp3 }, clips),
  kind(slackFeatures.oggFile, { extension: 'ogg', bytes: silentVoiceMessage.bytes }, clips),
  kind(slackFeatures.wavFile, { extension: 'wav', bytes: shortWav }, clips),
  kind(
    slackFeatures.pngFile,
    { extension: 'png', bytes: onePixelPng },
    { works: 'posts images', refused: `refuses /imagine ${before}` },
  ),
  kind(
    slackFeatures.mp4File,
    { extension: 'mp4', bytes: emptyMp4 },
    { works: 'posts videos', refused: `refuses /video ${before}` },
  ),
];

function kind(
  feature: string,
  sample: Sample,
  does: { readonly works: string; readonly refused: string },
): Step<SlackContext> {
  return {
    name: `${sample.extension} file`,
    expects: 'works; file_type_not_allowed if administrators forbid the type',
    does,
    feature,
    async run(context) {
      await upload(context, sample);
      return works();
    },
  };
}
