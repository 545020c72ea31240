import { testInterleavings } from './interleavings.ts';
import { fixedBatches } from './settings.ts';

testInterleavings(fixedBatches);
