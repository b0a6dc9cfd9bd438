import { serve } from '../lanes/serve.ts';
import { narrate } from './narrate.ts';

serve(narrate);
