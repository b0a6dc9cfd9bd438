import { serve } from '../workers/serve.ts';
import { narrate } from './narrate.ts';

serve(narrate);
