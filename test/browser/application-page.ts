/** The application's page: it exchanges the code of its address and shows the user. */
export const appPage = (
  api: string,
) => `<!doctype html><html lang="en"><title>App</title><h1>App</h1>
<script>
  const code = new URLSearchParams(location.search).get('code');
  if (code)
    fetch('${api}/Account_ExchangeCode', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Code: code }),
    })
      .then((answer) => answer.json())
      .then(({ User, Token }) => {
        document.querySelector('h1').textContent = Token ? 'Hello ' + User.Email : 'Refused';
      });
</script></html>`;
