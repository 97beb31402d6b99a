module gptoss/tools/compose

go 1.26.0

// What docker compose itself is built on, of which the schema of compose files is taken.
require github.com/compose-spec/compose-go/v2 v2.16.2
