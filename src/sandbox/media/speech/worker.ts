import { serve } from '../workers/serve.ts';
import { narrate, type SpeechRequest } from './narrate.ts';
import { SpeechEngine } from './synthesizer.ts';

const engine = await SpeechEngine.load();

serve((request: SpeechRequest) => narrate(engine, request));
