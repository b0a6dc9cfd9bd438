import { slackFeatures } from '../../../platforms/slack/api/features.ts';
import { emptyMp4, onePixelPng, shortMp3, shortWav, silentVoiceMessage } from '../../sample-files.ts';
import { type Step, works } from '../../step.ts';
import type { SlackContext } from '../context.ts';
import { type Sample, upload } from '../upload.ts';

const clips = {
  works: 'posts clips in the first of mp3, ogg and wav that works',
  refused: 'posts clips in another of mp3, ogg and wav; refuses /speak where none works',
};
const before = 'before anything is paid for';

/** Each kind of file that troupe posts: administrators may forbid any of them. Nobody sees these. */
export const fileKindSteps: readonly Step<SlackContext>[] = [
  kind(slackFeatures.mp3File, { ending: 'mp3', bytes: shortMp3 }, clips),
  kind(slackFeatures.oggFile, { ending: 'ogg', bytes: silentVoiceMessage.bytes }, clips),
  kind(slackFeatures.wavFile, { ending: 'wav', bytes: shortWav }, clips),
  kind(
    slackFeatures.pngFile,
    { ending: 'png', bytes: onePixelPng },
    { works: 'posts images', refused: `refuses /imagine ${before}` },
  ),
  kind(
    slackFeatures.mp4File,
    { ending: 'mp4', bytes: emptyMp4 },
    { works: 'posts videos', refused: `refuses /video ${before}` },
  ),
];

function kind(
  feature: string,
  sample: Sample,
  does: { readonly works: string; readonly refused: string },
): Step<SlackContext> {
  return {
    name: `${sample.ending} file`,
    expects: 'works; file_type_not_allowed where administrators chose the kinds',
    does,
    feature,
    async run(context) {
      await upload(context, sample);
      return works();
    },
  };
}
