/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction by tables: secrets where they stand in transcripts, and what looks
 * like one and must stay. Every value is invented, and put together from parts
 * so that no scanner takes this file for a leak. Each row is also redacted a
 * second time, which must change nothing.
 */
#include "ingest/redact.h"

#include "base/mem.h"
#include "tap.h"

/* Random-looking stuff of a length. */
#define R8 "a1B2c3D4"
#define R16 R8 "e5F6g7H8"
#define R20 R16 "i9J0"
#define R24 R16 "k3L4m5N6"
#define R32 R16 "k3L4m5N6p7Q8r9S0"
#define R36 R32 "t1U2"
#define R40 R32 "t1U2v3W4"
#define HEX32 "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define HEX40 HEX32 "0a1b2c3d"
#define B64LINE                                                                \
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7xZ0fakefake0"
#define BEGIN(label)                                                           \
    "-----BEG"                                                                 \
    "IN " label "PRIVATE KEY-----"
#define END(label)                                                             \
    "-----E"                                                                   \
    "ND " label "PRIVATE KEY-----"

#define GITHUB                                                                 \
    "gh"                                                                       \
    "p_" R36
#define OPENAI                                                                 \
    "sk-"                                                                      \
    "proj-" R40
#define ANTHROPIC                                                              \
    "sk-"                                                                      \
    "ant-api03-" R40 "-_" R8
#define JWT                                                                    \
    "ey"                                                                       \
    "JhbGciOiJub25lIn0."                                                       \
    "ey"                                                                       \
    "JmYWtlIjoidHJ1ZSJ9.ZmFrZXNpZ25hdHVyZQ"
#define SLACK                                                                  \
    "xo"                                                                       \
    "xb-000000000000-fakefakefake"
#define AWS_ID                                                                 \
    "AK"                                                                       \
    "IAQ3EXAMPLE7Z2M9K1"
#define AWS_SECRET "fakeFAKE/akeFAKE+akeFAKEfakeFAKEfake0000"

struct row {
    const char *text;
    const char *want; /* NULL: the same as text */
};

static const struct row known_keys[] = {
    { AWS_ID, "[redacted:aws]" },
    { "used key " AWS_ID ".", "used key [redacted:aws]." },
    { "AS"
      "IAQ3FAKE0007Z2M9K1 is temporary",
      "[redacted:aws] is temporary" },
    { "AWS_ACCESS_KEY_ID=" AWS_ID, "AWS_ACCESS_KEY_ID=[redacted:aws]" },
    { "AWS_SECRET_ACCESS_KEY=" AWS_SECRET,
      "AWS_SECRET_ACCESS_KEY=[redacted:aws]" },
    { "aws_secret_access_key = " AWS_SECRET "\nregion = eu-west-1",
      "aws_secret_access_key = [redacted:aws]\nregion = eu-west-1" },
    { "\"SecretAccessKey\": \"" AWS_SECRET "\",",
      "\"SecretAccessKey\": \"[redacted:aws]\"," },
    { "deploy," AWS_ID "," AWS_SECRET "\n", "deploy,[redacted:aws]\n" },
    { GITHUB, "[redacted:github]" },
    { "GITHUB_TOKEN=" GITHUB, "GITHUB_TOKEN=[redacted:github]" },
    { "gh"
      "o_" R36 " gh"
      "u_" R36 " gh"
      "s_" R36 " gh"
      "r_" R36,
      "[redacted:github] [redacted:github] [redacted:github] "
      "[redacted:github]" },
    { "gi"
      "thub_pat_11" R20 "_" R40,
      "[redacted:github]" },
    { "git clone https://" GITHUB "@github.com/dana/atlas.git",
      "git clone https://[redacted:github]@github.com/dana/atlas.git" },
    { "git push https://x-access-token:" GITHUB "@github.com/dana/atlas",
      "git push https://x-access-token:[redacted:password]@github.com/dana/"
      "atlas" },
    { "{\\\"t\\\":\\\"" GITHUB "\\\"}",
      "{\\\"t\\\":\\\"[redacted:github]\\\"}" },
    { "first\\n" GITHUB "\\nlast", "first\\n[redacted:github]\\nlast" },
    { "?next=%3D" GITHUB, "?next=%3D[redacted:github]" },
    { "\033[32m" GITHUB "\033[0m", "\033[32m[redacted:github]\033[0m" },
    { "gh"
      "p_a1B2c3D4e5F6\xe2\x80\xa6 [cut]",
      "[redacted:github]\xe2\x80\xa6 [cut]" },
    { "gl"
      "pat-" R20,
      "[redacted:gitlab]" },
    { "PRIVATE-TOKEN: gl"
      "pat-" R8 "_" R8 "x",
      "PRIVATE-TOKEN: [redacted:gitlab]" },
    { "gl"
      "dt-" R20 " gl"
      "ptt-" HEX40,
      "[redacted:gitlab] [redacted:gitlab]" },
    { SLACK, "[redacted:slack]" },
    { "xo"
      "xp-1234567890-1234567890-" HEX32,
      "[redacted:slack]" },
    { "token \"xo"
      "xe.xo"
      "xp-1-" R32 "\"",
      "token \"[redacted:slack]\"" },
    { "xa"
      "pp-1-A012345-" HEX32,
      "[redacted:slack]" },
    { "curl https://hooks.slack"
      ".com/services/T0A1B2C3D/B0A1B2C3D/" R24 " -d x",
      "curl https://hooks.slack"
      ".com/services/[redacted:slack] -d x" },
    { "https://discord.com/api"
      "/webhooks/123456789012345678/" R40,
      "https://discord.com/api"
      "/webhooks/[redacted:discord]" },
    { "sk"
      "_live_" R24,
      "[redacted:stripe]" },
    { "rk"
      "_live_" R24 "; whs"
      "ec_" R32,
      "[redacted:stripe]; [redacted:stripe]" },
    { "stripe.api_key = \"sk"
      "_test_" R24 "\"",
      "stripe.api_key = \"[redacted:stripe]\"" },
    { "sk-" R40, "[redacted:openai]" },
    { OPENAI, "[redacted:openai]" },
    { "OPENAI_API_KEY='" OPENAI "' npm start",
      "OPENAI_API_KEY='[redacted:openai]' npm start" },
    { "sk-"
      "svcacct-" R40,
      "[redacted:openai]" },
    { ANTHROPIC, "[redacted:anthropic]" },
    { "x-api-key: " ANTHROPIC, "x-api-key: [redacted:anthropic]" },
    { "AI"
      "zaSy" R32 "x",
      "[redacted:google]" },
    { "maps/api/js?key=AI"
      "zaSy" R32 "x&v=3",
      "maps/api/js?key=[redacted:google]&v=3" },
    { "GO"
      "CSPX-" R24 "abcd",
      "[redacted:gcp]" },
    { "ya"
      "29." R40,
      "[redacted:gcp]" },
    { "//npm.example.test/:_authToken=np"
      "m_" R36,
      "//npm.example.test/:_authToken=[redacted:npm]" },
    { "password = py"
      "pi-AgEIcHlwaS5vcmc" R40,
      "password = [redacted:pypi]" },
    { "https://api.telegram.org/bot123456789:AA" R32 "x/getMe",
      "https://api.telegram.org/bot[redacted:telegram]/getMe" },
    { "BOT=1234567890:AA" R24 R8 "x", "BOT=[redacted:telegram]" },
    { "MT"
      "A" R20 "x.Ga1B2c." R32,
      "[redacted:discord]" },
    { "S"
      "G." R20 "ab." R40 "abc",
      "[redacted:sendgrid]" },
    { "S"
      "K" HEX32,
      "[redacted:twilio]" },
    { "A"
      "C" HEX32 ":" HEX32,
      "[redacted:twilio]" },
    { "Client(\"A"
      "C" HEX32 "\", \"" HEX32 "\")",
      "Client(\"[redacted:twilio]\")" },
    { "TWILIO_AUTH_TOKEN=" HEX32, "TWILIO_AUTH_TOKEN=[redacted:token]" },
    { JWT, "[redacted:jwt]" },
    { "\"session\": \"" JWT "\"", "\"session\": \"[redacted:jwt]\"" },
    { "cookie " JWT ".", "cookie [redacted:jwt]." },
    { "AccountName=shop;AccountKey=" R40 R40 "abcd==;EndpointSuffix=x",
      "AccountName=shop;AccountKey=[redacted:azure];EndpointSuffix=x" },
    { "Endpoint=sb://a.example.test/;SharedAccessKey=" R40 "abc=",
      "Endpoint=sb://a.example.test/;SharedAccessKey=[redacted:azure]" },
    { "?sv=2025-01-01&sp=r&sig=" R40 "ab%2Bc%3D&se=2026",
      "?sv=2025-01-01&sp=r&sig=[redacted:azure]&se=2026" },
    { "abc8Q"
      "~" R32 "ab",
      "[redacted:azure]" },
    { "X-Amz-Signature=" HEX32 HEX32 "&X-Amz-Date=x",
      "X-Amz-Signature=[redacted:aws]&X-Amz-Date=x" },
    { "hf"
      "_abcdefgh" R24,
      "[redacted:huggingface]" },
};

/* The rest of the table of prefixes, one of each. */
static const char *const other_prefixes[] = {
    ("gs"
     "k_" R32),
    ("do"
     "p_v1_" HEX40),
    ("sh"
     "pat_" R24),
    ("sh"
     "pss_" R24),
    ("gl"
     "sa_" R32),
    ("dc"
     "kr_pat_" R24),
    ("sb"
     "p_" R32),
    ("li"
     "n_api_" R32),
    ("sk-"
     "admin-" R24),
    ("sk-"
     "or-v1-" HEX40),
    ("gl"
     "rt-" R20),
    ("gl"
     "ft-" R20),
    ("gl"
     "cbt-" R20),
    ("gl"
     "oas-" R20),
    ("gl"
     "soat-" R20),
    ("hv"
     "s." R24),
    ("rk"
     "_test_" R16),
    ("xo"
     "xa-" R16),
    ("xo"
     "xc-" R16),
    ("xo"
     "xd-" R16),
    ("xo"
     "xe-" R16),
    ("xo"
     "xo-" R16),
    ("xo"
     "xr-" R16),
    ("xo"
     "xs-" R16),
};

static const struct row headers_and_urls[] = {
    { "https://" GITHUB ":x-oauth9@example.test/a",
      "https://[redacted:github]:[redacted:password]@example.test/a" },
    { "Authorization: Bearer " R20,
      "Authorization: Bearer [redacted:authorization]" },
    { "curl -H 'Authorization: Bearer " OPENAI
      "' https://api.example.test/v1/me",
      "curl -H 'Authorization: Bearer [redacted:authorization]' "
      "https://api.example.test/v1/me" },
    { "curl -H \"Authorization: Basic ZGFuYTpodW50ZXIy\" -X POST x",
      "curl -H \"Authorization: Basic [redacted:authorization]\" -X POST x" },
    { "authorization: token " HEX40,
      "authorization: token [redacted:authorization]" },
    { "\"Authorization\": \"Bearer " R20 "\",",
      "\"Authorization\": \"Bearer [redacted:authorization]\"," },
    { "{\\\"Authorization\\\": \\\"Bearer " R20 "\\\"}",
      "{\\\"Authorization\\\": \\\"Bearer [redacted:authorization]\\\"}" },
    { "Proxy-Authorization: Basic ZGFuYTpodW50ZXIy\r\nHost: x",
      "Proxy-Authorization: Basic [redacted:authorization]\r\nHost: x" },
    { "headers[\"Authorization\"] = \"Bearer " R20 "\"",
      "headers[\"Authorization\"] = \"Bearer [redacted:authorization]\"" },
    { "'Authorization' => 'Basic ZGFuYTpodW50ZXIy'",
      "'Authorization' => 'Basic [redacted:authorization]'" },
    { "Authorization: " R20, "Authorization: [redacted:authorization]" },
    { "Authorization: Custom " R20 " more",
      "Authorization: Custom [redacted:authorization] more" },
    { "Authorization: Digest username=\"dana\", response=\"" HEX32 "\"\nX: y",
      "Authorization: Digest [redacted:authorization]\nX: y" },
    { "Authorization: AWS4-HMAC-SHA256 Credential=" AWS_ID
      "/20261001/eu/s3/aws4_request, Signature=" HEX32,
      "Authorization: AWS4-HMAC-SHA256 [redacted:authorization]" },
    { "-H Authorization:\\ Bearer\\ " R20 " x",
      "-H Authorization:\\ Bearer\\ [redacted:authorization] x" },
    { "send \"Bearer " R20 "\" along",
      "send \"Bearer [redacted:authorization]\" along" },
    { "postgres://shop:hunter2-fake@db.example.test:5432/shop",
      "postgres://shop:[redacted:password]@db.example.test:5432/shop" },
    { "DATABASE_URL=\"mysql://root:t0p@s3cret@127.0.0.1/x\"",
      "DATABASE_URL=\"mysql://root:[redacted:password]@127.0.0.1/x\"" },
    { "redis://:s3cr3t@cache:6379/0",
      "redis://:[redacted:password]@cache:6379/0" },
    { "amqp://u:pa/ss@mq.example.test/v",
      "amqp://u:[redacted:password]@mq.example.test/v" },
    { "https://dana:geheim@example.test/a b",
      "https://dana:[redacted:password]@example.test/a b" },
    { "mongodb+srv://app:Zx9pQ@c0.example.test,c1.example.test/db?w=1",
      "mongodb+srv://app:[redacted:password]@c0.example.test,c1.example.test/"
      "db?w=1" },
    { "HTTP_PROXY=http://dana:p4ss%21@proxy.example.test:3128 npm ci",
      "HTTP_PROXY=http://dana:[redacted:password]@proxy.example.test:3128 npm "
      "ci" },
};

static const struct row assignments[] = {
    { "{\"password\": \"fake-Passw0rd!\", \"user\": \"dana\"}",
      "{\"password\": \"[redacted:password]\", \"user\": \"dana\"}" },
    { "{\\\"password\\\": \\\"fake-Passw0rd!\\\", \\\"n\\\": 1}",
      "{\\\"password\\\": \\\"[redacted:password]\\\", \\\"n\\\": 1}" },
    { "{\\\\\\\"password\\\\\\\": \\\\\\\"fake-Passw0rd!\\\\\\\"}",
      "{\\\\\\\"password\\\\\\\": \\\\\\\"[redacted:password]\\\\\\\"}" },
    { "DB_PASSWORD=swordfish", "DB_PASSWORD=[redacted:password]" },
    { "PGPASSWORD=hunter2 psql -h db",
      "PGPASSWORD=[redacted:password] psql -h db" },
    { "export DB_PASS='s3cr3t pass'; make",
      "export DB_PASS='[redacted:password]'; make" },
    { "password: hunter2", "password: [redacted:password]" },
    { "password: swordfish\nuser: dana",
      "password: [redacted:password]\nuser: dana" },
    { "Password: hunter2, user: dana",
      "Password: [redacted:password], user: dana" },
    { "password = \"correct horse battery staple\"",
      "password = \"[redacted:password]\"" },
    { "**Password:** hunter2x", "**Password:** [redacted:password]" },
    { "**Password**: hunter2x", "**Password**: [redacted:password]" },
    { "the password is `PASSWORD=hunter2`.",
      "the password is `PASSWORD=[redacted:password]`." },
    { "Server=db;User=sa;Password=Qwerty12;Encrypt=yes",
      "Server=db;User=sa;Password=[redacted:password];Encrypt=yes" },
    { "spring.datasource.password=Qwerty12",
      "spring.datasource.password=[redacted:password]" },
    { "localhost:6379,password=abcd1234,ssl=True",
      "localhost:6379,password=[redacted:password],ssl=True" },
    { "'password' => 'hunter2x',", "'password' => '[redacted:password]'," },
    { "<password>hunter2</password>",
      "<password>[redacted:password]</password>" },
    { "password: str = \"hunter2x\"",
      "password: str = \"[redacted:password]\"" },
    { "const dbPassword: string = 'hunter2x';",
      "const dbPassword: string = '[redacted:password]';" },
    { "password := \"hunter2x\"", "password := \"[redacted:password]\"" },
    { "os.environ[\"DB_PASSWORD\"] = \"hunter2x\"",
      "os.environ[\"DB_PASSWORD\"] = \"[redacted:password]\"" },
    { "password = b'hunter2x'", "password = b'[redacted:password]'" },
    { "password = \"\"\"hunter2x\"\"\"",
      "password = \"\"\"[redacted:password]\"\"\"" },
    { "mysql --password hunter2x -e 'select 1'",
      "mysql --password [redacted:password] -e 'select 1'" },
    { "mysql --password=hunter2x -e x",
      "mysql --password=[redacted:password] -e x" },
    { "contrase\xc3\xb1"
      "a: hunter2x",
      "contrase\xc3\xb1"
      "a: [redacted:password]" },
    { "login?user=dana&password=hunter2&x=1",
      "login?user=dana&password=[redacted:password]&x=1" },
    { "api_key: " R20, "api_key: [redacted:api-key]" },
    { "apiKey: '" R20 "'", "apiKey: '[redacted:api-key]'" },
    { "X-API-Key: " R20, "X-API-Key: [redacted:api-key]" },
    { "?api_key=abcdef0123&q=x", "?api_key=[redacted:api-key]&q=x" },
    { "client_secret=\"" R20 "\"", "client_secret=\"[redacted:secret]\"" },
    { "SECRET_KEY = 'django-insecure-" R20 "'",
      "SECRET_KEY = '[redacted:api-key]'" },
    { "clientsecret: \"" R20 "\"", "clientsecret: \"[redacted:secret]\"" },
    { "password = \"hunter2\\\\\"; x = \"y\"",
      "password = \"[redacted:password]\"; x = \"y\"" },
    { "SECRET_KEY_BASE=" HEX40, "SECRET_KEY_BASE=[redacted:api-key]" },
    { "JWT_SECRET_V2=swordfish", "JWT_SECRET_V2=[redacted:secret]" },
    { "APP_SECRET=" R8 "\\nDEBUG=1", "APP_SECRET=[redacted:secret]\\nDEBUG=1" },
    { "secret: \"swordfish\"", "secret: \"[redacted:secret]\"" },
    { "access_token=" R20 "&expires_in=3600",
      "access_token=[redacted:token]&expires_in=3600" },
    { "\"refresh_token\":\"" R20 "\"",
      "\"refresh_token\":\"[redacted:token]\"" },
    { "CI_JOB_TOKEN=" R20 " make", "CI_JOB_TOKEN=[redacted:token] make" },
    { "token: " R20, "token: [redacted:token]" },
    { "--token " R20 " --dry-run", "--token [redacted:token] --dry-run" },
    { "PASSWORD=ab1,cd2 next", "PASSWORD=[redacted:password] next" },
    { "password=hunter2\xe3\x81\xa7\xe3\x81\x99",
      "password=[redacted:password]\xe3\x81\xa7\xe3\x81\x99" },
    { "password: \"\xd1\x81lov0 1\"", "password: \"[redacted:password]\"" },
    { "\"pwd\": \"hunter2\"", "\"pwd\": \"[redacted:password]\"" },
    { "DB_PASSWORD=hunter2\nPORT=80\nSMTP_PASSWORD=geheim99\n",
      "DB_PASSWORD=[redacted:password]\nPORT=80\nSMTP_PASSWORD=[redacted:"
      "password]\n" },
};

static const struct row pem[] = {
    { BEGIN("") "\n" B64LINE "\n" B64LINE "\nRkFLRQ==\n" END("") "\nnext",
      "[redacted:private-key]\nnext" },
    { BEGIN("RSA ") "\n" B64LINE "\nabc=\n" END("RSA "),
      "[redacted:private-key]" },
    { "\"private_key\": \"" BEGIN("") "\\n" B64LINE
                                      "\\nRkFLRQ==\\n" END("") "\\n\",",
      "\"private_key\": \"[redacted:private-key]\\n\"," },
    { "x = '" BEGIN("EC ") "\\\\n" B64LINE "\\\\n" END("EC ") "'",
      "x = '[redacted:private-key]'" },
    { BEGIN("OPENSSH ") "\n" B64LINE "\n" B64LINE
                        "\nshort\n\nThe next paragraph.",
      "[redacted:private-key]\n\nThe next paragraph." },
    { BEGIN("") "\n" B64LINE, "[redacted:private-key]" },
    { BEGIN("") " " B64LINE " " B64LINE " " END(""), "[redacted:private-key]" },
    { "  1\t" BEGIN("") "\n  2\t" B64LINE "\n  3\t" END("") "\n",
      "  1\t[redacted:private-key]\n" },
    { "1\xe2\x86\x92" BEGIN("") "\n2\xe2\x86\x92" B64LINE
                                "\n3\xe2\x86\x92" END(""),
      "1\xe2\x86\x92[redacted:private-key]" },
    { "\"" BEGIN("") "\\n\" +\n  \"" B64LINE "\\n\" +\n  \"" END("") "\\n\"",
      "\"[redacted:private-key]\\n\"" },
    { BEGIN("RSA ") "\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
                    "AES-128-CBC,00FF\n\n" B64LINE "\n" END("RSA "),
      "[redacted:private-key]" },
    { "-----BEG"
      "IN PGP PRIVATE KEY BLOCK-----\nVersion: x\n\n" B64LINE "\n=ab12\n-----E"
      "ND PGP PRIVATE KEY BLOCK-----",
      "[redacted:private-key]" },
    { "...\n" B64LINE "\n" B64LINE "\nRkFLRQ==\n" END("") "\n",
      "...\n[redacted:private-key]\n" },
    { BEGIN("") "\nRkFLRUZBS0VGQUtF\nRkFLRQ==\n" END(""),
      "[redacted:private-key]" },
    { BEGIN("") "\nRkFLRUZB\nS0VGQUtF\n" END(""), "[redacted:private-key]" },
    { "-----BEG"
      "IN RSA\nPRIVATE KEY-----\n" B64LINE,
      "[redacted:private-key]" },
};

static const char *const look_alikes[] = {
    /* hashes, ids, base64 of ordinary text */
    "commit " HEX40,
    "git checkout 0f1e2d3",
    "sha256:" HEX32 HEX32,
    "7b1e2bd9-dd58-4eb1-a286-bedce7b3c420",
    "session 019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603 resumed",
    "VGhpcyBpcyBhbiBvcmRpbmFyeSBzZW50ZW5jZSBpbiBiYXNlNjQu",
    "eyJuYW1lIjoiYmlsbGluZyIsInZlcnNpb24iOjF9",
    "integrity sha512-" R40 R40 "==",
    "data:image/png;base64," R40,
    "\"etag\": \"" HEX32 "\"",
    "req_" R24,
    "msg_01" R20,
    "toolu_01" R20,
    "ami-0f1e2d3c4b5a69788",
    "arn:aws:iam::123456789012:role/deploy",
    /* paths and names */
    "/home/dana/projects/billing/src/tokens/password_reset.py",
    "src/auth/secret-store.ts:42:7",
    "task-runner-with-a-long-name-0123456789",
    "sk-fading-circle-animation-delay",
    "npm_config_registry=https://x.test",
    "npm_package_version=1.2.3",
    "ghp_token",
    "the prefix ghp_ marks it",
    "xoxb-",
    "AKIA is the prefix",
    "AKIAI is not one",
    "glpat-my-token-name",
    "pypi-publish-action",
    "SG.templates.list",
    "eyJ",
    "eyJhbGciOiJ.x",
    "risk-assessment-2026-10-01-final-version",
    "disk-" R20,
    "a.b.c.d.e.f.g.h",
    "v1.2.3-rc.1+build.5",
    "www.slack.com/services/",
    "10:30:59 12345678:90",
    "12345678:AAA",
    "SKU0123456789",
    "AC0123",
    /* samples */
    "AKIAIOSFODNN7EXAMPLE",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxx1",
    "sk-ant-xxxxxxxxxxxxxxxx0",
    "xoxb-XXXXXXXXXXXX-XXXXXXXXXXXX1",
    "AKIAXXXXXXXXXXXXXXXX",
    "password=xxxx",
    "password: ********",
    "api_key=your-api-key",
    "API_KEY=your_api_key_here",
    "token: <token>",
    "token=<your token>",
    "password: <password>",
    "PASSWORD=changeme",
    "password: \"password\"",
    "secret: \"secret\"",
    "api_key = \"...\"",
    "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    /* variables and templates */
    "PASSWORD=$DB_PASSWORD",
    "PASSWORD=\"${DB_PASSWORD}\"",
    "password: ${{ secrets.DB_PASSWORD }}",
    "token: {{ vault_token }}",
    "TOKEN=$(cat /run/secrets/token)",
    "PASSWORD=%DB_PASSWORD%",
    "apiKey: process.env.API_KEY",
    "api_key = os.environ[\"API_KEY\"]",
    "token = os.getenv(\"GITHUB_TOKEN\")",
    "password = input(\"Password: \")",
    "const token = await getToken();",
    "token = response.json()[\"token\"]",
    "const secret = crypto.randomBytes(32).toString('hex')",
    "f\"Bearer {token}\"",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer <token>",
    "'Authorization': 'Bearer ' + token",
    "Authorization: Bearer YOUR_TOKEN",
    "postgres://user:${PASSWORD}@db/x",
    "postgres://user:password@localhost/db",
    "https://user:<password>@example.test/",
    "https://git@github.com/a/b.git",
    "https://example.test:8080/a@2x.png",
    "ssh://git@host:22/a/b.git",
    "http://localhost:5173/@vite/client",
    /* types and code */
    "password: string",
    "token: str",
    "password: Option<String>,",
    "token: String,",
    "function login(user: string, password: string) {",
    "def connect(user, password=None):",
    "connect(user=user, password=password)",
    "password=db_password,",
    "{ user, password: hashedPassword }",
    "if (password === other) {",
    "assert token == expected",
    "this.token = token;",
    "self.password = password",
    "Token::new(kind)",
    "let secret = &config.secret;",
    "case TOKEN: return 1;",
    "type=\"password\" name=\"pass\"",
    "label: \"Password\"",
    "secret := cfg.Secret",
    "token?: string;",
    "password!: string",
    "password: z.string().min(8)",
    /* numbers and names about secrets */
    "max_tokens: 4096",
    "\"input_tokens\": 12345",
    "total tokens: 98765",
    "token_type: bearer",
    "token_count=1234567",
    "password_file: /etc/x1",
    "PASSWORD_HASH=argon2",
    "secretName: billing-tls",
    "secret: billing-tls",
    "next_page_token: abcDEF123456",
    "passwordMinLength: 12",
    "tokenizer: bpe50k",
    "public_key: ssh-ed25519",
    "primary_key: id_0001",
    "--- PASS: TestLogin1 (0.01s)",
    "PASS=12 WARN=0",
    "'Event::Pass' => '1.302190',",
    "user_pass = '%s:%s' % (user, word)",
    "secretKeyRef: billing1",
    "TOKEN_EXPIRY=36000000",
    /* prose */
    "The password: it must have 12 characters.",
    "secret: nobody knows",
    "token: a unit of text",
    "the secret is to rest",
    "Password: required",
    "use --password to set one",
    "the --token flag takes a value",
    "Authorization: required",
    "Authorization: see the manual2 page",
    "Authorization: Basic auth is off",
    "Bearer authentication is required",
    "La contrase\xc3\xb1"
    "a: se cambia aqu\xc3\xad",
    "credentials: include",
    "a -----BEG"
    "IN PRIVATE KEY----- line and an -----E"
    "ND PRIVATE KEY----- line",
    "-----BEG"
    "IN PUBLIC KEY-----\n" B64LINE "\n-----E"
    "ND PUBLIC KEY-----",
    "-----BEG"
    "IN CERTIFICATE-----\n" B64LINE "\n-----E"
    "ND CERTIFICATE-----",
    BEGIN("") "\n...\n" END(""),
    /* markers of an earlier pass */
    "password=[redacted:password]",
    "Authorization: Bearer [redacted:openai]",
    "postgres://u:[redacted:password]@db/x",
    "[redacted:private-key]\\n\",",
};

static char *redact(const char *text, const struct jz__redact_options *options,
                    size_t *found)
{
    struct jz__buf out = JZ__BUF_INIT;
    char *result;

    jz__redact_text(&out, found, jz__str_of(text), options);
    CHECK_INT(jz__buf_take(&result, &out), 0);
    return result;
}

static void check_row(const char *text, const char *want)
{
    size_t found;
    char *once = redact(text, NULL, &found);
    char *twice;

    CHECK_STR(once, want);
    CHECK(strcmp(text, want) == 0 ? found == 0 : found > 0);
    twice = redact(once, NULL, &found);
    CHECK_STR(twice, once);
    CHECK_INT(found, 0);
    free(once);
    free(twice);
}

static void check_rows(const struct row *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        check_row(rows[i].text, rows[i].want);
    }
}

static void keys_with_a_prefix_or_a_shape_go(void)
{
    check_rows(known_keys, JZ__LENGTH(known_keys));
}

static void authorization_and_passwords_in_urls_go(void)
{
    check_rows(headers_and_urls, JZ__LENGTH(headers_and_urls));
}

static void values_of_secret_names_go(void)
{
    check_rows(assignments, JZ__LENGTH(assignments));
}

static void private_keys_go(void)
{
    check_rows(pem, JZ__LENGTH(pem));
}

static void the_tables_are_large_enough(void)
{
    CHECK(JZ__LENGTH(known_keys) + JZ__LENGTH(headers_and_urls) +
              JZ__LENGTH(assignments) + JZ__LENGTH(pem) >=
          100);
    CHECK(JZ__LENGTH(look_alikes) >= 100);
}

static void look_alikes_stay(void)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(look_alikes); i++) {
        check_row(look_alikes[i], look_alikes[i]);
    }
}

/* Secrets are found wherever they stand: at the start and the end of a text,
 * quoted, in brackets, behind a colon or an arrow, between lines. */
static void known_keys_go_in_any_surroundings(void)
{
    static const char *const keys[] = {
        AWS_ID,
        GITHUB,
        OPENAI,
        ANTHROPIC,
        JWT,
        SLACK,
        "gl"
        "pat-" R20,
        "np"
        "m_" R36,
        "S"
        "G." R20 "ab." R40 "abc",
        "S"
        "K" HEX32,
        "AI"
        "zaSy" R32 "x",
        "sk"
        "_live_" R24,
    };
    static const struct row around[] = {
        { "", "" },     { "(", ")" },      { "\"", "\"" },
        { "`", "`" },   { "key: ", "," },  { "\xe2\x86\x92", "\xe3\x80\x82" },
        { "\n", "\n" }, { "[", "]" },      { "\\\"", "\\\"" },
        { "=> ", ";" }, { "<b>", "</b>" },
    };
    size_t i;
    size_t k;

    for (i = 0; i < JZ__LENGTH(keys); i++) {
        for (k = 0; k < JZ__LENGTH(around); k++) {
            struct jz__buf text = JZ__BUF_INIT;
            char *out;
            size_t found;

            jz__buf_puts(&text, around[k].text);
            jz__buf_puts(&text, keys[i]);
            jz__buf_puts(&text, around[k].want);
            out = redact(text.data, NULL, &found);
            CHECK(strstr(out, keys[i]) == NULL);
            if (!CHECK_INT(found, 1)) {
                printf("# in %s\n", text.data);
            }
            CHECK(strncmp(out, around[k].text, strlen(around[k].text)) == 0);
            free(out);
            jz__buf_finish(&text);
        }
    }
}

static void every_known_prefix_is_found(void)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(other_prefixes); i++) {
        size_t found;
        char *out = redact(other_prefixes[i], NULL, &found);

        if (!CHECK(found == 1 && strstr(out, "a1B2") == NULL)) {
            printf("# %s\n", other_prefixes[i]);
        }
        free(out);
    }
}

static void names_between_secrets_survive(void)
{
    char *out = redact("AWS_ACCESS_KEY_ID=AK"
                       "IAEXAMPLEEXAMPLE99\n"
                       "AWS_SECRET_ACCESS_KEY=" AWS_SECRET "\n"
                       "DATABASE_URL=postgres://shop:hunter2-fake@db.example."
                       "test:5432/shop\nGITHUB_TOKEN=" GITHUB "\n"
                       "The key lacked s3:PutObject. Fix: attach policy "
                       "shop-deploy. (used key AK"
                       "IAEXAMPLEEXAMPLE99)",
                       NULL, NULL);

    CHECK_STR(out, "AWS_ACCESS_KEY_ID=[redacted:aws]\n"
                   "AWS_SECRET_ACCESS_KEY=[redacted:aws]\n"
                   "DATABASE_URL=postgres://shop:[redacted:password]@db."
                   "example.test:5432/shop\nGITHUB_TOKEN=[redacted:github]\n"
                   "The key lacked s3:PutObject. Fix: attach policy "
                   "shop-deploy. (used key [redacted:aws])");
    free(out);
}

static void further_literals_go_and_the_longest_wins(void)
{
    static const char *const extra[] = { "Falke",    "Falkenhorst", "x\xc3\xa9",
                                         "redacted", "a[",          "\xa9" };
    const struct jz__redact_options options = { false, extra, 6 };
    size_t found;
    char *out = redact("Falkenhorst, Falke: x\xc3\xa9 \xc3\xa9 redacted",
                       &options, &found);
    char *twice = redact(out, &options, NULL);

    CHECK_STR(out, "[redacted:extra], [redacted:extra]: [redacted:extra] "
                   "\xc3\xa9 [redacted:extra]");
    CHECK_INT(found, 4);
    CHECK_STR(twice, out);
    free(out);
    free(twice);
    out = redact("a" GITHUB " a " GITHUB, &options, NULL);
    twice = redact(out, &options, NULL);
    CHECK_STR(twice, out);
    free(out);
    free(twice);
}

/* The value of an option is found at its hyphens; what stands before it is
 * looked at all the same, also when a second option is found on the way. */
static void literals_in_front_of_a_value_go_too(void)
{
    static const char *const extra[] = { "9" };
    const struct jz__redact_options options = { false, extra, 1 };
    char *out = redact("--to9--token9x  k8n8Kss1 -x", &options, NULL);

    CHECK_STR(out, "--to[redacted:extra]--token[redacted:extra]x  "
                   "[redacted:token] -x");
    free(out);
}

static void disabled_changes_nothing(void)
{
    const struct jz__redact_options options = { .is_disabled = true };
    size_t found = 7;
    char *out = redact(GITHUB, &options, &found);

    CHECK_STR(out, GITHUB);
    CHECK_INT(found, 0);
    free(out);
}

static void output_is_appended_and_empty_text_is_empty(void)
{
    struct jz__buf out = JZ__BUF_INIT;
    size_t found = 1;

    jz__redact_text(&out, &found, (struct jz__str){ NULL, 0 }, NULL);
    CHECK_INT(found, 0);
    jz__buf_puts(&out, "before ");
    jz__redact_text(&out, NULL, JZ__STR("password=hunter2"), NULL);
    CHECK_STR(out.data, "before password=[redacted:password]");
    jz__buf_finish(&out);
}

/* What would be quadratic, if a part looked at the same text again and again:
 * each ends in milliseconds, or this test in its time limit. */
static void repeated_beginnings_take_linear_time(void)
{
    static const char *const beginnings[] = {
        "sk-ant-",
        "password='",
        "password=\"\\\"",
        "://a:b",
        "://a:b/",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "a a -----END PRIVATE KEY-----",
        "authorization:",
        "authorization: digest ",
        "Bearer ",
        "pwd=",
        "--password ",
        "x-token: $",
        "[redacted:",
        "a.b.c.d.",
        "12345678:AA",
        ".slack.com/services/",
        "token:x",
        "=password",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n",
        ("gh"
         "p_"),
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(beginnings); i++) {
        struct jz__buf text = JZ__BUF_INIT;
        struct jz__buf out = JZ__BUF_INIT;

        while (text.length < 400000) {
            jz__buf_puts(&text, beginnings[i]);
        }
        jz__redact_text(&out, NULL, (struct jz__str){ text.data, text.length },
                        NULL);
        CHECK_INT(out.error, 0);
        jz__buf_finish(&text);
        jz__buf_finish(&out);
    }
}

int main(void)
{
    TAP_RUN(keys_with_a_prefix_or_a_shape_go);
    TAP_RUN(authorization_and_passwords_in_urls_go);
    TAP_RUN(values_of_secret_names_go);
    TAP_RUN(private_keys_go);
    TAP_RUN(look_alikes_stay);
    TAP_RUN(the_tables_are_large_enough);
    TAP_RUN(known_keys_go_in_any_surroundings);
    TAP_RUN(every_known_prefix_is_found);
    TAP_RUN(names_between_secrets_survive);
    TAP_RUN(further_literals_go_and_the_longest_wins);
    TAP_RUN(literals_in_front_of_a_value_go_too);
    TAP_RUN(disabled_changes_nothing);
    TAP_RUN(output_is_appended_and_empty_text_is_empty);
    TAP_RUN(repeated_beginnings_take_linear_time);
    return tap_done();
}
