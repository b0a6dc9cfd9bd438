import { knownVoices } from '../../../src/service-rules/voices.ts';
import { validateSpeech } from '../../../src/service/index.ts';
import { say } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const speech: Row[] = [
  ['input is required', {}, { input: undefined }, { field: 'input', code: 'required' }],
  ['input is not blank', { input: '.' }, { input: ' \n' }, { field: 'input', code: 'required' }],
  [
    'input has at most 16,384 bytes',
    { input: 'x'.repeat(16_384) },
    { input: 'x'.repeat(16_385) },
    { field: 'input', code: 'too-long', limit: 16_384, unit: 'bytes', given: 16_385 },
  ],
  [
    'input is measured in bytes of UTF-8',
    { input: '猫'.repeat(5_461) },
    { input: '猫'.repeat(5_462) },
    { field: 'input', code: 'too-long', limit: 16_384, unit: 'bytes', given: 16_386 },
  ],
  ['voice is required', {}, { voice: undefined }, { field: 'voice', code: 'required' }],
  [
    'voice is one of the list',
    { voice: 'zh_female_vv_uranus_bigtts' },
    { voice: 'tim' },
    { field: 'voice', code: 'choice', allowed: knownVoices.map((voice) => voice.id), given: 'tim' },
  ],
  [
    'language is a tag',
    { language: 'zh-CN' },
    { language: 'Chinese please' },
    {
      field: 'language',
      code: 'form',
      allowed: ['a language tag such as zh-CN or en'],
      given: 'Chinese please',
    },
  ],
  [
    'language may be one the voice does not have',
    { language: 'zh-cmn-Hans-CN-x1' },
    { language: 1 },
    { field: 'language', code: 'type', allowed: ['string'], given: 'number' },
  ],
  [
    'format is mp3, wav, opus or ogg',
    { format: 'opus' },
    { format: 'flac' },
    { field: 'format', code: 'choice', allowed: ['mp3', 'wav', 'opus', 'ogg'], given: 'flac' },
  ],
  [
    'speed is at least 0.5',
    { speed: 0.5 },
    { speed: 0.49 },
    { field: 'speed', code: 'range', min: 0.5, limit: 2, given: 0.49 },
  ],
  [
    'speed is at most 2',
    { speed: 2 },
    { speed: 2.01 },
    { field: 'speed', code: 'range', min: 0.5, limit: 2, given: 2.01 },
  ],
  [
    'speed is a number',
    { speed: 1.25 },
    { speed: Number.NaN },
    { field: 'speed', code: 'range', min: 0.5, limit: 2, given: Number.NaN },
  ],
  [
    'speed is no text',
    {},
    { speed: '1' },
    { field: 'speed', code: 'type', allowed: ['number'], given: 'string' },
  ],
  ['there is no other field', {}, { model: 'x' }, { field: 'model', code: 'unknown-field' }],
];

showRules('speech', validateSpeech, say, speech);
