import Foundation
import PlumbTestSupport
import Testing

/// The number of threads of a run.
struct ThreadCountTests {
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/taskset"), "needs taskset"))
  func `affinity is respected, and --threads overrides it`() throws {
    let fixture = try Fixture()
    try fixture.grid()
    // The first processor that this process may use.
    let sendRequest =
      "C=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//'); taskset -c $C \"$PLUMB\" identify "
    let options = " grid.tif --at 0.5,-0.5 --explain"
    let one = try shell(sendRequest + options, folder: fixture.folder.path)
    #expect(one.status == 0 && one.errors.contains("Plumb on 1 thread"), "\(one.errors)")
    let more = try shell(sendRequest + options + " --threads 3", folder: fixture.folder.path)
    #expect(more.errors.contains("Plumb on 3 threads"), "\(more.errors)")
  }
}
