import { Bills, PaidBills } from './portal-bills.tsx';
import { PortalChange } from './portal-change.tsx';
import type { PortalAsk, PortalFrame, PortalOverviewView, PortalPage } from './portal-data.ts';
import { Cards, Mandates } from './portal-methods.tsx';
import { Part } from './portal-part.tsx';
import { PortalSubscription } from './portal-subscription.tsx';
import { ask, noticeTexts, portalProblemText } from './portal-words.ts';
import { Shop } from './shop.tsx';

/** What was just done, or came to nothing: read first, and the keyboard goes on from there. */
function Told({ notice, problem }: Pick<PortalFrame, 'notice' | 'problem'>) {
  if (problem !== null)
    return (
      <div class="trouble" role="alert" tabIndex={-1} autofocus>
        <p>{portalProblemText(problem)}</p>
      </div>
    );
  if (notice === null) return null;
  return (
    <p class="done" role="status" tabIndex={-1} autofocus>
      {noticeTexts[notice]}
    </p>
  );
}

function Overview({ overview, home }: { overview: PortalOverviewView; home: string }) {
  const { subscriptions, bills, paid, hasMorePaid, cards, mandates } = overview;
  const isEmpty = [subscriptions, bills, paid, cards, mandates].every(({ length }) => length === 0);
  return (
    <>
      {isEmpty && <p class="panel">Ainda não há nada aqui: nenhuma assinatura e nenhuma cobrança.</p>}
      {bills.length > 0 && <Bills bills={bills} />}
      {subscriptions.length > 0 && (
        <Part id="subscriptions" title="Assinaturas">
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
        <Part id="paid" title="Cobranças pagas">
          <PaidBills paid={paid} />
          {hasMorePaid && (
            <p class="more">
              <a href={`${home}/bills`}>Ver todas as cobranças pagas</a>
            </p>
          )}
        </Part>
      )}
    </>
  );
}

const titles = {
  overview: 'Suas assinaturas e cobranças',
  paid: 'Cobranças pagas',
  change: 'Mudar de plano',
} as const satisfies Record<PortalPage['content']['kind'], string>;

export const portalTitle = ({ frame, content }: PortalPage): string => `${titles[content.kind]} – ${frame.merchant}`;

function Content({ page: { frame, content } }: { page: PortalPage }) {
  const { home } = frame;
  if (content.kind === 'overview') return <Overview overview={content.overview} home={home} />;
  return (
    <>
      {content.kind === 'change' && <PortalChange change={content.change} home={home} />}
      {content.kind === 'paid' && (
        <section class="part" aria-label={titles.paid}>
          <PaidBills paid={content.paid} />
          {content.after !== null && (
            <p class="more">
              <a href={`${home}/bills?after=${content.after}`}>Ver as anteriores</a>
            </p>
          )}
        </section>
      )}
      <p class="more">
        <a href={home}>Voltar para o início</a>
      </p>
    </>
  );
}

/** All that a merchant has of a customer. Forms do what it offers, so it works without a script. */
export function Portal({ page }: { page: PortalPage }) {
  const { merchant, isSandbox, look, back, notice, problem } = page.frame;
  const { logo } = look;
  return (
    <>
      {isSandbox && (
        <header class="sandbox">
          <p>Ambiente de teste: nenhum valor será cobrado.</p>
        </header>
      )}
      <main class="portal" data-home={page.frame.home}>
        <div class={`head${look.isCovered ? ' summary covered' : ''}`}>
          {logo !== null && <img class="logo" src={logo.source} width={logo.width} height={logo.height} alt="" />}
          <p class="merchant">{merchant}</p>
          <h1>{titles[page.content.kind]}</h1>
        </div>
        <Told notice={notice} problem={problem} />
        <Content page={page} />
        {back !== null && (
          <p class="more">
            <a href={back}>Voltar à loja</a>
          </p>
        )}
      </main>
      <Shop name={merchant} look={look} />
    </>
  );
}

/** Asks for an address, and says always the same of it. */
export function AskForLink({ about, action }: { about: PortalAsk; action: string }) {
  const isAsked = about === 'asked';
  const error = about === 'no_address' ? ask.noAddress : about === 'too_often' ? ask.tooOften : null;
  return (
    <main class="portal message">
      <section class="panel">
        <h1>{isAsked ? ask.asked : about === 'ended' ? ask.ended : ask.title}</h1>
        <p>{isAsked ? ask.askedText : about === 'ended' ? ask.endedText : ask.text}</p>
        {!isAsked && (
          <form method="post" action={action}>
            <div class="field">
              <label for="email">Seu e-mail</label>
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
              Enviar link
            </button>
          </form>
        )}
      </section>
    </main>
  );
}
