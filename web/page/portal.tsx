import { Speaking } from './language.ts';
import { Bills, PaidBills } from './portal-bills.tsx';
import { PortalChange } from './portal-change.tsx';
import type { PortalAsk, PortalFrame, PortalOverviewView, PortalPage } from './portal-data.ts';
import { type PortalSpoken, SpeakingPortal, usePortal } from './portal-language.ts';
import { Cards, Mandates } from './portal-methods.tsx';
import { Part } from './portal-part.tsx';
import { PortalSubscription } from './portal-subscription.tsx';
import { portalProblemText } from './portal-words.ts';
import { Shop } from './shop.tsx';
import type { PortalWords } from './texts/pt-portal.ts';

/** What was just done, or came to nothing: read first, and the keyboard goes on from there. */
function Told({ notice, problem }: Pick<PortalFrame, 'notice' | 'problem'>) {
  const spoken = usePortal();
  if (problem !== null)
    return (
      <div class="trouble" role="alert" tabIndex={-1} autofocus>
        <p>{portalProblemText(spoken, problem)}</p>
      </div>
    );
  if (notice === null) return null;
  return (
    <p class="done" role="status" tabIndex={-1} autofocus>
      {spoken.words.notices[notice]}
    </p>
  );
}

function Overview({ overview, home }: { overview: PortalOverviewView; home: string }) {
  const { subscriptions, bills, paid, hasMorePaid, cards, mandates } = overview;
  const { words, kept } = usePortal();
  const isEmpty = [subscriptions, bills, paid, cards, mandates].every(({ length }) => length === 0);
  return (
    <>
      {isEmpty && <p class="panel">{words.empty}</p>}
      {bills.length > 0 && <Bills bills={bills} />}
      {subscriptions.length > 0 && (
        <Part id="subscriptions" title={words.subscription.title}>
          <ul class="cards">
            {subscriptions.map((subscription) => (
              <PortalSubscription key={subscription.id} subscription={subscription} home={home} />
            ))}
          </ul>
        </Part>
      )}
      {cards.length > 0 && <Cards cards={cards} home={home} />}
      {mandates.length > 0 && <Mandates mandates={mandates} home={home} />}
      {paid.length > 0 && (
        <Part id="paid" title={words.titles.paid}>
          <PaidBills paid={paid} />
          {hasMorePaid && (
            <p class="more">
              <a href={kept(`${home}/bills`)}>{words.bills.all}</a>
            </p>
          )}
        </Part>
      )}
    </>
  );
}

export const portalTitle = ({ words }: PortalSpoken, { frame, content }: PortalPage): string =>
  `${words.titles[content.kind]} – ${frame.merchant}`;

function Content({ page: { frame, content } }: { page: PortalPage }) {
  const { words, kept } = usePortal();
  const { home } = frame;
  if (content.kind === 'overview') return <Overview overview={content.overview} home={home} />;
  return (
    <>
      {content.kind === 'change' && <PortalChange change={content.change} home={home} />}
      {content.kind === 'paid' && (
        <section class="part" aria-label={words.titles.paid}>
          <PaidBills paid={content.paid} />
          {content.after !== null && (
            <p class="more">
              <a href={kept(`${home}/bills?after=${content.after}`)}>{words.bills.before}</a>
            </p>
          )}
        </section>
      )}
      <p class="more">
        <a href={kept(home)}>{words.home}</a>
      </p>
    </>
  );
}

function Whole({ page }: { page: PortalPage }) {
  const { words, texts } = usePortal();
  const { merchant, isSandbox, look, back, notice, problem, home } = page.frame;
  const { logo } = look;
  return (
    <>
      {isSandbox && (
        <header class="sandbox">
          <p>{texts.summary.sandbox}</p>
        </header>
      )}
      <main class="portal" data-home={home}>
        <div class={`head${look.isCovered ? ' summary covered' : ''}`}>
          {logo !== null && <img class="logo" src={logo.source} width={logo.width} height={logo.height} alt="" />}
          <p class="merchant">{merchant}</p>
          <h1>{words.titles[page.content.kind]}</h1>
        </div>
        <Told notice={notice} problem={problem} />
        <Content page={page} />
        {back !== null && (
          <p class="more">
            <a href={back}>{words.back}</a>
          </p>
        )}
      </main>
      <Shop name={merchant} look={look} />
    </>
  );
}

/** All that a merchant has of a customer. Forms do what it offers, so it works without a script. */
export const Portal = ({ page, spoken }: { page: PortalPage; spoken: PortalSpoken }) => (
  <Speaking.Provider value={spoken}>
    <SpeakingPortal.Provider value={spoken}>
      <Whole page={page} />
    </SpeakingPortal.Provider>
  </Speaking.Provider>
);

const toldOfAddress = (ask: PortalWords['ask'], about: PortalAsk): { title: string; text: string } =>
  about === 'asked'
    ? { title: ask.asked, text: ask.askedText }
    : about === 'ended'
      ? { title: ask.ended, text: ask.endedText }
      : { title: ask.title, text: ask.text };

/** Asks for an address, and says always the same of it. */
export function AskForLink({ about, action, ask }: { about: PortalAsk; action: string; ask: PortalWords['ask'] }) {
  const error = about === 'no_address' ? ask.noAddress : about === 'too_often' ? ask.tooOften : null;
  const { title, text } = toldOfAddress(ask, about);
  return (
    <main class="portal message">
      <section class="panel">
        <h1>{title}</h1>
        <p>{text}</p>
        {about !== 'asked' && (
          <form method="post" action={action}>
            <div class="field">
              <label for="email">{ask.email}</label>
              <input
                id="email"
                name="email"
                type="email"
                autocomplete="email"
                required
                maxLength={254}
                aria-invalid={error !== null}
                aria-describedby={error === null ? undefined : 'email-error'}
              />
              {error !== null && (
                <p class="error" id="email-error" role="alert">
                  {error}
                </p>
              )}
            </div>
            <button type="submit" class="primary">
              {ask.send}
            </button>
          </form>
        )}
      </section>
    </main>
  );
}
