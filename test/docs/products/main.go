// Sends what Grafana, Argo CD and kubelogin send, with the libraries that they use. It reads the
// product's configuration as a line of JSON, prints the address that the browser opens, reads the
// address at which the browser ends up, and prints what the product then knows.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/jmespath/go-jmespath"
	"golang.org/x/oauth2"
)

type settings = map[string]string

var (
	ctx   = context.Background()
	input = bufio.NewReader(os.Stdin)
)

func main() {
	var request struct {
		Product  string
		Settings settings
	}
	line, err := input.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &request)
	}
	var result any
	if err == nil {
		switch s := request.Settings; request.Product {
		case "grafana":
			result, err = grafana(s)
		case "argocd":
			result, err = argocd(s, s["clientID"], s["clientSecret"], s["url"]+"/auth/callback")
		case "argocd-cli":
			result, err = argocd(s, s["cliClientID"], "", "http://localhost:8085/auth/callback")
		case "kubelogin":
			result, err = kubelogin(s)
		default:
			err = errors.New("unknown product")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

// authorize sends the browser to the provider, and exchanges the code that it brings back.
func authorize(config *oauth2.Config, begin, finish []oauth2.AuthCodeOption) (*oauth2.Token, error) {
	fmt.Println(config.AuthCodeURL("the-state", begin...))
	line, err := input.ReadString('\n')
	if err != nil {
		return nil, err
	}
	answer, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	if query := answer.Query(); query.Get("error") != "" || query.Get("state") != "the-state" {
		return nil, fmt.Errorf("the provider answered %s", answer)
	}
	return config.Exchange(ctx, answer.Query().Get("code"), finish...)
}

// refresh gets new tokens, as when the present ones have expired.
func refresh(config *oauth2.Config, token *oauth2.Token) (*oauth2.Token, error) {
	old := *token
	old.Expiry = time.Now().Add(-time.Minute)
	next, err := config.TokenSource(ctx, &old).Token()
	if err != nil {
		return nil, err
	}
	if next.AccessToken == token.AccessToken || next.RefreshToken == token.RefreshToken {
		return nil, errors.New("the tokens are the old ones")
	}
	return next, nil
}

// grafana reads the ID token and then the answer of api_url, and takes each value from the first.
func grafana(s settings) (any, error) {
	config := &oauth2.Config{
		ClientID: s["client_id"], ClientSecret: s["client_secret"],
		Endpoint:    oauth2.Endpoint{AuthURL: s["auth_url"], TokenURL: s["token_url"]},
		RedirectURL: s["root_url"] + "/login/generic_oauth",
		Scopes:      strings.Fields(s["scopes"]),
	}
	var begin, finish []oauth2.AuthCodeOption
	if s["use_pkce"] == "true" {
		verifier := oauth2.GenerateVerifier()
		begin, finish = append(begin, oauth2.S256ChallengeOption(verifier)), append(finish, oauth2.VerifierOption(verifier))
	}
	token, err := authorize(config, begin, finish)
	if err != nil {
		return nil, err
	}
	idToken, _ := token.Extra("id_token").(string)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(idToken+"..", ".")[1])
	if err != nil {
		return nil, err
	}
	response, err := config.Client(ctx, token).Get(s["api_url"])
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	found := []map[string]any{}
	for _, source := range [][]byte{payload, body} {
		var data map[string]any
		if err := json.Unmarshal(source, &data); err != nil {
			return nil, err
		}
		values := map[string]any{"sub": data["sub"], "email": data["email"]}
		for _, name := range []string{"login", "name", "groups", "role"} {
			if values[name], err = jmespath.Search(s[name+"_attribute_path"], data); err != nil {
				return nil, err
			}
		}
		found = append(found, values)
	}
	if s["use_refresh_token"] == "true" {
		if token, err = refresh(config, token); err != nil {
			return nil, err
		}
	}
	signOut, err := url.Parse(s["signout_redirect_url"])
	if err != nil {
		return nil, err
	}
	query := signOut.Query()
	if hint, ok := token.Extra("id_token").(string); ok {
		query.Set("id_token_hint", hint)
	}
	signOut.RawQuery = query.Encode()
	return map[string]any{"token": found[0], "api": found[1], "signOut": signOut.String()}, nil
}

// argocd takes the groups from the ID token, which is also its session.
func argocd(s settings, clientID, clientSecret, redirectURL string) (any, error) {
	provider, err := oidc.NewProvider(ctx, s["issuer"])
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Scopes        []string `json:"scopes_supported"`
		ResponseTypes []string `json:"response_types_supported"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return nil, err
	}
	config := &oauth2.Config{
		ClientID: clientID, ClientSecret: clientSecret, Endpoint: provider.Endpoint(),
		RedirectURL: redirectURL, Scopes: strings.Fields(s["requestedScopes"]),
	}
	verifier := oauth2.GenerateVerifier()
	begin := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if clientSecret == "" {
		// The command line adds this scope if the provider has it, also where it is configured.
		for _, scope := range metadata.Scopes {
			if scope == oidc.ScopeOfflineAccess {
				config.Scopes = append(config.Scopes, scope)
			}
		}
		begin = append(begin, oauth2.AccessTypeOffline)
	}
	token, err := authorize(config, begin, []oauth2.AuthCodeOption{oauth2.VerifierOption(verifier)})
	if err != nil {
		return nil, err
	}
	if token, err = refresh(config, token); err != nil {
		return nil, err
	}
	session, _ := token.Extra("id_token").(string)
	claims, err := verify(provider, clientID, session)
	if err != nil {
		return nil, err
	}
	signOut := strings.NewReplacer("{{token}}", session, "{{logoutRedirectURL}}", s["url"]).Replace(s["logoutURL"])
	return map[string]any{"claims": claims, "signOut": signOut}, nil
}

// kubelogin gets the ID token that the API server verifies.
func kubelogin(s settings) (any, error) {
	provider, err := oidc.NewProvider(ctx, s["oidc-issuer-url"])
	if err != nil {
		return nil, err
	}
	config := &oauth2.Config{
		ClientID: s["oidc-client-id"], Endpoint: provider.Endpoint(), RedirectURL: "http://localhost:8000",
		Scopes: append(strings.Fields(s["oidc-extra-scope"]), oidc.ScopeOpenID),
	}
	verifier := oauth2.GenerateVerifier()
	begin := []oauth2.AuthCodeOption{oauth2.AccessTypeOffline, oidc.Nonce("the-nonce"), oauth2.S256ChallengeOption(verifier)}
	token, err := authorize(config, begin, []oauth2.AuthCodeOption{oauth2.VerifierOption(verifier)})
	if err != nil {
		return nil, err
	}
	first, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, first)
	if err != nil || idToken.Nonce != "the-nonce" {
		return nil, fmt.Errorf("the nonce is not ours: %w", err)
	}
	if token, err = refresh(config, token); err != nil {
		return nil, err
	}
	session, _ := token.Extra("id_token").(string)
	claims, err := verify(provider, s["apiserver-client-id"], session)
	return map[string]any{"claims": claims}, err
}

// verify does what Argo CD's server and the API server of Kubernetes do with an ID token.
func verify(provider *oidc.Provider, clientID, raw string) (map[string]any, error) {
	config := &oidc.Config{ClientID: clientID, SupportedSigningAlgs: []string{oidc.RS256}}
	token, err := provider.Verifier(config).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	var claims map[string]any
	err = token.Claims(&claims)
	return claims, err
}
