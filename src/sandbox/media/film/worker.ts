import { serve } from '../lanes/serve.ts';
import { type FilmRequest, makeFilm } from './make-film.ts';

serve(async (request: FilmRequest, onProgress) => ({ bytes: await makeFilm(request, onProgress) }));
