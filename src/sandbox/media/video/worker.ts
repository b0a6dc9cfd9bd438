import { serve } from '../workers/serve.ts';
import { renderVideo, type VideoRequest } from './render-video.ts';

serve(async (request: VideoRequest, onProgress) => ({ bytes: await renderVideo(request, onProgress) }));
