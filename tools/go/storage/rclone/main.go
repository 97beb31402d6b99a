// rclone with the backends and commands that the chart's download uses, and a server to test them
// with. Its own package holds ninety backends and takes five times as long to build.
package main

import (
	_ "github.com/rclone/rclone/backend/googlecloudstorage"
	_ "github.com/rclone/rclone/backend/local"
	_ "github.com/rclone/rclone/backend/s3"
	"github.com/rclone/rclone/cmd"
	_ "github.com/rclone/rclone/cmd/copy"
	_ "github.com/rclone/rclone/cmd/serve"
	_ "github.com/rclone/rclone/cmd/serve/s3"
)

func main() { cmd.Main() }
