import { serve } from '../../media/index.ts';
import type { ChartOrder } from './chart.ts';
import { draw } from './draw.ts';

serve((order: ChartOrder) => draw(order));
