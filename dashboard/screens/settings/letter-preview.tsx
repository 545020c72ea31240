import { useEffect, useRef, useState } from 'react';
import type { SampleLetter, SampleOccasion } from '../../../contract/sample-letters.ts';
import { auth, sampleFrameUrl } from '../../api/auth.ts';
import { useRead } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice } from '../../parts/field.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { useTexts } from '../../texts/language.tsx';
import type { MailDraft } from './mail-draft.ts';
import { mailTexts } from './mail-texts.ts';

/** The service lays the letter out; what it refuses is not asked of the frame. */
function useLetter({ sentence, attach }: MailDraft, occasion: SampleOccasion) {
  const scope = useScope();
  const settled = useSettled(sentence.trim());
  const query = { occasion, attach_receipt: `${attach}` as const, ...(settled !== '' && { sentence: settled }) };
  return useRead(['sample-letter', query], async () => ({
    letter: await auth.sampleLetter(scope, query),
    source: sampleFrameUrl(scope, query),
  }));
}

/** A letter as a browser shows it. What is shown next takes its place, so that the way back leads out of the screen. */
function Frame({ source, title }: { source: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    frame.current?.contentWindow?.location.replace(new URL(source, location.href));
  }, [source]);
  return <iframe ref={frame} className="letter" title={title} sandbox="" />;
}

function Letter({ letter, source, sender }: { letter: SampleLetter; source: string; sender: string }) {
  const texts = useTexts(mailTexts);
  return (
    <>
      <Facts
        facts={[
          [texts.from, sender.trim() || texts.ofService],
          [texts.subject, letter.subject],
          [texts.preheader, letter.preheader],
        ]}
      />
      <Frame source={source} title={texts.frame(letter.subject)} />
      <details>
        <summary>{texts.asText}</summary>
        <pre className="letter-text">{letter.text}</pre>
      </details>
    </>
  );
}

function isOff({ occasions }: MailDraft, occasion: SampleOccasion): boolean {
  const written: Readonly<Partial<Record<SampleOccasion, boolean>>> = occasions;
  return written[occasion] === false;
}

/** Each letter as its buyer reads it, with what is typed and not saved yet. */
export function LetterPreview({ draft }: { draft: MailDraft }) {
  const texts = useTexts(mailTexts);
  const [occasion, choose] = useState<SampleOccasion>('paid');
  const { data, error } = useLetter(draft, occasion);
  const names = {
    ...texts.always,
    ...Object.fromEntries(Object.entries(texts.switched).map(([key, [name]]) => [key, name])),
  };
  const options = Object.entries(names) as [SampleOccasion, string][]; // the keys of both are the occasions
  return (
    <Panel title={texts.preview}>
      <p className="soft">{texts.previewText}</p>
      <Choice label={texts.letter} value={occasion} options={options} onChange={choose} />
      {isOff(draft, occasion) && <p className="note">{texts.off}</p>}
      {error !== null && <ErrorNote error={error} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && <Letter {...data} sender={draft.sender} />}
    </Panel>
  );
}
