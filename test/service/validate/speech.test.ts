import { knownVoices } from '../../../src/service-rules/voices.ts';
import { validateSpeech } from '../../../src/service/index.ts';
import { say } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const speech: Row[] = [
  {
    rule: 'input is required',
    keeps: {},
    breaks: { input: undefined },
    fault: { field: 'input', code: 'required' },
  },
  {
    rule: 'input is not blank',
    keeps: { input: '.' },
    breaks: { input: ' \n' },
    fault: { field: 'input', code: 'required' },
  },
  {
    rule: 'input has at most 16,384 bytes',
    keeps: { input: 'x'.repeat(16_384) },
    breaks: { input: 'x'.repeat(16_385) },
    fault: { field: 'input', code: 'too-long', limit: 16_384, unit: 'bytes', given: 16_385 },
  },
  {
    rule: 'input is measured in bytes of UTF-8',
    keeps: { input: '猫'.repeat(5_461) },
    breaks: { input: '猫'.repeat(5_462) },
    fault: { field: 'input', code: 'too-long', limit: 16_384, unit: 'bytes', given: 16_386 },
  },
  {
    rule: 'voice is required',
    keeps: {},
    breaks: { voice: undefined },
    fault: { field: 'voice', code: 'required' },
  },
  {
    rule: 'voice is one of the list',
    keeps: { voice: 'zh_female_vv_uranus_bigtts' },
    breaks: { voice: 'tim' },
    fault: { field: 'voice', code: 'choice', allowed: knownVoices.map((voice) => voice.id), given: 'tim' },
  },
  {
    rule: 'language is a tag',
    keeps: { language: 'zh-CN' },
    breaks: { language: 'Chinese please' },
    fault: {
      field: 'language',
      code: 'form',
      allowed: ['a language tag such as zh-CN or en'],
      given: 'Chinese please',
    },
  },
  {
    rule: 'language may be one the voice does not have',
    keeps: { language: 'zh-cmn-Hans-CN-x1' },
    breaks: { language: 1 },
    fault: { field: 'language', code: 'type', allowed: ['string'], given: 'number' },
  },
  {
    rule: 'format is mp3, wav, opus or ogg',
    keeps: { format: 'opus' },
    breaks: { format: 'flac' },
    fault: { field: 'format', code: 'choice', allowed: ['mp3', 'wav', 'opus', 'ogg'], given: 'flac' },
  },
  {
    rule: 'speed is at least 0.5',
    keeps: { speed: 0.5 },
    breaks: { speed: 0.49 },
    fault: { field: 'speed', code: 'range', min: 0.5, limit: 2, given: 0.49 },
  },
  {
    rule: 'speed is at most 2',
    keeps: { speed: 2 },
    breaks: { speed: 2.01 },
    fault: { field: 'speed', code: 'range', min: 0.5, limit: 2, given: 2.01 },
  },
  {
    rule: 'speed is a number',
    keeps: { speed: 1.25 },
    breaks: { speed: Number.NaN },
    fault: { field: 'speed', code: 'range', min: 0.5, limit: 2, given: Number.NaN },
  },
  {
    rule: 'speed is no text',
    keeps: {},
    breaks: { speed: '1' },
    fault: { field: 'speed', code: 'type', allowed: ['number'], given: 'string' },
  },
  {
    rule: 'there is no other field',
    keeps: {},
    breaks: { model: 'x' },
    fault: { field: 'model', code: 'unknown-field' },
  },
];

showRules('speech', validateSpeech, say, speech);
