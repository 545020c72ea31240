import type { TestClock } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura, useRead } from '../../../api/queries.ts';
import { useScope } from '../../../api/session.ts';
import { useAct } from '../../../parts/act.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { Field } from '../../../parts/field.tsx';
import { instantOfText, textOfInstant } from '../../../parts/local-time.ts';
import { Panel } from '../../../parts/page.tsx';
import { Pending } from '../../../parts/pending.tsx';
import { When } from '../../../parts/when.tsx';
import { WorkflowsLink } from '../../../parts/workflows-link.tsx';
import { useFormat } from '../../../texts/format.ts';
import { useTexts } from '../../../texts/language.tsx';
import { isWithinReach, later, stepNames, steps } from './steps.ts';
import { sandboxTexts } from './texts.ts';

const TICK_MS = 10_000;
const ADVANCE_MS = 700;

/** Where the clock was when this page saw it begin to move; null: it does not move. */
function useClock() {
  const [from, setFrom] = useState<number | null>(null);
  const query = useRead(
    ['test_clock'],
    async (fatura, options) => {
      const clock = await fatura.testClock.retrieve(options);
      setFrom((before) => (clock.status === 'ready' ? null : (before ?? clock.now)));
      return clock;
    },
    { everyMs: from === null ? TICK_MS : ADVANCE_MS },
  );
  return { ...query, from };
}

function Progress({ clock, from }: { clock: TestClock; from: number }) {
  const texts = useTexts(sandboxTexts);
  const { now, target } = clock;
  if (target === null) return null;
  return (
    <div className="stack" role="status">
      <p>
        {texts.advancing} <When at={target} />
      </p>
      <progress aria-label={texts.advancing} max={Math.max(1, target - from)} value={Math.max(0, now - from)} />
      <p className="soft">{texts.wait}</p>
    </div>
  );
}

interface AdvanceProps {
  readonly now: number;
  readonly advance: (to: number) => void;
  readonly isPending: boolean;
}

function Steps({ now, advance, isPending }: AdvanceProps) {
  const texts = useTexts(sandboxTexts);
  return (
    <fieldset className="event-chooser">
      <legend className="label">{texts.advanceBy}</legend>
      <div className="actions">
        {stepNames.map((name) => (
          <Button key={name} isPending={isPending} onPress={() => advance(later(now, steps[name]))}>
            +{texts.steps[name]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function ToInstant({ now, advance, isPending }: AdvanceProps) {
  const texts = useTexts(sandboxTexts);
  const [written, setWritten] = useState(() => textOfInstant(later(now, steps.day)));
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const to = instantOfText(written);
    const isGood = to !== null && isWithinReach(to, now);
    setWrong(!isGood);
    if (isGood) advance(to);
  };
  return (
    <Form className="form inline" onSubmit={submit} validationBehavior="aria">
      <Field
        label={texts.advanceTo}
        type="datetime-local"
        value={written}
        onChange={setWritten}
        isInvalid={isWrong}
        {...(isWrong && { errorMessage: texts.wrongInstant })}
        isRequired
      />
      <Button type="submit" isPending={isPending}>
        {texts.advance}
      </Button>
    </Form>
  );
}

function Reset() {
  const texts = useTexts(sandboxTexts);
  const fatura = useFatura();
  const refused = useRoleRefusal()('testClock.reset');
  const [isAsking, setAsking] = useState(false);
  if (refused !== null) return <p className="soft">{refused}</p>;
  return (
    <>
      <p>
        <Button kind="danger" onPress={() => setAsking(true)}>
          {texts.reset}
        </Button>
      </p>
      <Confirm
        title={texts.reset}
        action={texts.reset}
        act={(options) => fatura.testClock.reset(options)}
        done={texts.resetDone}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      >
        <p>{texts.resetText}</p>
      </Confirm>
    </>
  );
}

/** Where the sandbox is in time, and what moves it on. */
export function Clock() {
  const texts = useTexts(sandboxTexts);
  const { moment } = useFormat();
  const { account } = useScope();
  const fatura = useFatura();
  const refused = useRoleRefusal()('testClock.advance');
  const { data: clock, error, refetch, from } = useClock();
  const {
    run,
    error: advanceError,
    isPending,
  } = useAct((to: number, options) => fatura.testClock.advance({ to }, options), {
    done: texts.arrived,
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (clock === undefined) return <Pending />;
  const advance = (to: number): void => {
    run(to);
    // The answer comes when the clock has arrived; how far it is meanwhile is looked at.
    setTimeout(() => void refetch(), ADVANCE_MS);
  };
  const props = { now: clock.now, advance, isPending };
  return (
    <Panel title={texts.clock}>
      <p className="soft">{texts.clockText}</p>
      <dl className="clock">
        <dt>{texts.now}</dt>
        <dd>
          <strong>{moment(clock.now)}</strong>
        </dd>
      </dl>
      {advanceError !== null && <ErrorNote error={advanceError} />}
      {from !== null && <Progress clock={clock} from={from} />}
      {refused !== null && <p className="soft">{refused}</p>}
      {from === null && refused === null && (
        <>
          <Steps {...props} />
          <ToInstant {...props} />
          <Reset />
        </>
      )}
      <WorkflowsLink of={[account]} />
    </Panel>
  );
}
