import { Fragment, type ReactNode } from 'react';
import { sayingOf } from './audit-actions.ts';
import { ActionName, actorTexts, type Entry } from './audit-entry.tsx';
import { useCall } from './calls.ts';
import { useUser } from './person.tsx';
import { useTexts } from './texts.tsx';

/** Which names the user may read. A name that is not read, or whose record is gone, is an ID. */
export type Readable = { users: boolean; bots: boolean };

type Props = { entry: Entry; may: Readable };

/** The sentence of an entry, such as "Ada created the group sales/emea". */
export function Sentence({ entry, may }: Props) {
  const { t } = useTexts();
  const { Action, Operation, Targets } = entry;
  const { text, object, named } = sayingOf(Action);
  const targetOf = (type: string) => Targets.find(({ Type }) => Type === type);
  const main = (named !== undefined && targetOf(named)) || Targets[0];
  const role = targetOf('role');
  const name = <Target target={main} entry={entry} may={may} />;
  const values = {
    actor: <Actor entry={entry} may={may} />,
    name,
    person: <Target target={targetOf('user') ?? main} entry={entry} may={may} />,
    role: <b>{role ? role.Name || role.ID : '–'}</b>,
    object: object ? <Filled text={t(object, open)} values={{ name }} /> : name,
    action: <ActionName name={Action || Operation} />,
    operation: <ActionName name={Operation || Action} />,
  };
  // An action without words of its own is said with its target, unless that is the actor, or an
  // event, whose name is the action.
  const said = [entry.ActorID, Action];
  const hasTarget =
    text === 'did.other' && main && !said.includes(main.ID) && !said.includes(main.Name);
  return <Filled text={t(hasTarget ? 'did.otherAbout' : text, open)} values={values} />;
}

const names = ['actor', 'name', 'person', 'role', 'object', 'action', 'operation'];

/** Leaves the placeholders of a text as they are. */
const open = Object.fromEntries(names.map((name) => [name, `{{${name}}}`]));

/** A text with elements in place of its placeholders. */
function Filled({ text, values }: { text: string; values: Readonly<Record<string, ReactNode>> }) {
  return text.split(/\{\{(\w+)\}\}/).map((part, at) => (
    // Every second part is the name of a placeholder.
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
    <Fragment key={at}>{at % 2 === 0 ? part : <bdi>{values[part]}</bdi>}</Fragment>
  ));
}

/** Who did it: by name, by ID, or by kind. */
export function Actor({ entry: { ActorType, ActorID, Tenant }, may }: Props) {
  const { t } = useTexts();
  const kind = actorTexts[ActorType];
  if (ActorType === 'user' && ActorID !== '')
    return <UserName id={ActorID} name="" isRead={may.users} />;
  if (ActorType === 'bot' && ActorID !== '')
    return <BotName id={ActorID} tenant={Tenant} name="" isRead={may.bots} />;
  return <b>{kind ? t(kind) : ActorType}</b>;
}

type TargetProps = Props & { target: Entry['Targets'][number] | undefined };

function Target({ target, entry, may }: TargetProps) {
  if (!target) return <b>–</b>;
  const { Type, ID, Name } = target;
  if (Type === 'user') return <UserName id={ID} name={Name} isRead={may.users} />;
  if (Type === 'bot')
    return <BotName id={ID} tenant={entry.Tenant} name={Name} isRead={may.bots} />;
  return <b>{Name || ID || Type}</b>;
}

type NameProps = { id: string; name: string; isRead: boolean };

function UserName({ id, name, isRead }: NameProps) {
  const isUser = id.startsWith('usr_');
  const { data } = useUser(id, isRead && isUser);
  return <b>{data?.User.Name || name || data?.User.Email || id}</b>;
}

function BotName({ id, tenant, name, isRead }: NameProps & { tenant: string }) {
  const { data } = useCall(
    'Bots_Get',
    { Tenant: tenant, ID: id },
    { staleTime: 300_000, enabled: isRead && name === '' && tenant !== '' },
  );
  return <b>{name || data?.Bot.Name || id}</b>;
}
