import type { RequestOf } from '@bailiwick/client/client.ts';
import { useState } from 'react';
import { client } from '../parts/calls.ts';
import { EditForm, ifUnchanged } from '../parts/edit-form.tsx';
import { messagesAt } from '../parts/field-errors.ts';
import { useNotify } from '../parts/notify.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useOwner } from '../shell/owner.ts';
import { AppFrame } from './app-frame.tsx';
import { Configuration } from './configuration.tsx';
import { type App, hasRedirects, type Kind, keepsSecret } from './kinds.ts';
import { type Fields, SettingsFields, useLabels } from './settings-fields.tsx';

/** Everything of an app that can be changed. */
export const SettingsPage = () => (
  <AppFrame tab="settings">{(app) => <Settings key={app.ID} app={app} />}</AppFrame>
);

const fieldsOf = (app: App): Fields => ({
  name: app.Name,
  isActive: app.Active,
  redirects: [...app.RedirectURIs],
  signedOut: [...app.PostLogoutRedirectURIs],
  backchannel: app.BackchannelLogoutURI,
  scopes: [...app.Scopes],
  resources: [...app.Resources],
  lifetime: app.TokenLifetimeSeconds,
  reuse: app.RefreshReuseSeconds,
  asksConsent: app.RequireConsent,
  needsPar: app.RequirePAR,
  hasDpop: app.DPoP,
  method: app.TokenEndpointAuthMethod,
  jwks: app.Jwks,
});

const paths = {
  name: 'App.Name',
  redirects: 'App.RedirectURIs',
  signedOut: 'App.PostLogoutRedirectURIs',
  backchannel: 'App.BackchannelLogoutURI',
  resources: 'App.Resources',
  lifetime: 'App.TokenLifetimeSeconds',
  reuse: 'App.RefreshReuseSeconds',
  jwks: 'App.Jwks',
};

function appOf(
  fields: Fields,
  { ID, Kind, RefreshReuseSeconds }: App,
): RequestOf<'Apps_Save'>['App'] {
  return {
    ID,
    Name: fields.name.trim(),
    Active: fields.isActive,
    ...(hasRedirects(Kind) && {
      RedirectURIs: fields.redirects,
      PostLogoutRedirectURIs: fields.signedOut,
      BackchannelLogoutURI: fields.backchannel.trim(),
      RequireConsent: fields.asksConsent,
      RequirePAR: fields.needsPar,
    }),
    Scopes: fields.scopes,
    Resources: fields.resources,
    TokenLifetimeSeconds: Number(fields.lifetime),
    // The default follows the other settings.
    ...(Number(fields.reuse) !== RefreshReuseSeconds && {
      RefreshReuseSeconds: Number(fields.reuse),
    }),
    DPoP: fields.hasDpop,
    ...(keepsSecret(Kind) && {
      TokenEndpointAuthMethod: fields.method,
      Jwks: fields.method === 'private_key_jwt' ? fields.jwks : '',
    }),
  };
}

function Settings({ app }: { app: App }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { scope, may } = useOwner();
  const [secret, setSecret] = useState('');
  const labels = useLabels();
  return (
    <>
      <EditForm
        operation="Apps_Save"
        record={app}
        fieldsOf={fieldsOf}
        check={({ name, redirects }) => ({
          name: name.trim() === '' ? t('apps.nameMissing') : null,
          redirects:
            hasRedirects(app.Kind) && redirects.length === 0 ? t('apps.redirectMissing') : null,
        })}
        refused={(error) => messagesAt(error, paths)}
        toRequest={(fields, base) => ({
          App: { ...scope, ...appOf(fields, base) },
          ...ifUnchanged(base),
        })}
        read={async () => (await client.call('Apps_Get', { ...scope, ID: app.ID })).App}
        recordIn={({ App }) => App}
        labels={labels}
        stale={['Apps_Get', 'Apps_List']}
        onDone={({ App, ClientSecret }) => {
          setSecret(ClientSecret);
          notify(t('apps.saved', { name: App.Name }));
        }}
        isReadOnly={!may('apps.write')}
        submit={t('form.save')}
      >
        {(form) => <SettingsFields kind={app.Kind as Kind} form={form} labels={labels} />}
      </EditForm>
      {secret !== '' && (
        <ShownOnce title={app.Name} secret={secret} onClose={() => setSecret('')}>
          <Configuration app={app} secret={secret} />
        </ShownOnce>
      )}
    </>
  );
}
