import { serve } from '../workers/serve.ts';
import { drawPicture, type PictureRequest } from './picture.ts';

serve(async (request: PictureRequest) => ({ bytes: await drawPicture(request) }));
