import { disputing } from './live/disputing.ts';
import { ending } from './live/ending.ts';
import { making } from './live/making.ts';
import { LiveMember } from './live/member.ts';
import { replacing } from './live/replacing.ts';
import { returning } from './live/returning.ts';
import { settling } from './live/settling.ts';
import { startLiveStage } from './live/stage.ts';
import { testPlay } from './matrix/matrix.ts';

testPlay({ start: startLiveStage, enlist: LiveMember.of }, [making, settling, replacing, ending, returning, disputing]);
