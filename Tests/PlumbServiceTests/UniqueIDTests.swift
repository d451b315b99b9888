import PlumbService
import Testing

/// `uniqueIds` and `returnUniqueIdsOnly`: the unique id of a layer is its object id.
@Suite struct UniqueIDTests {
  private let path = "cape/FeatureServer/2/query"

  private func ids(_ parameters: [String: String]) throws -> [Int]? {
    let extendedParameters = parameters.merging(["returnIdsOnly": "true"]) { $1 }
    return try TestService.sample.get().json(path, extendedParameters)["objectIds"] as? [Int]
  }

  @Test(arguments: [
    ("3,1", [1, 3]), ("[3,1]", [1, 3]), ("[\"3\",\"1\"]", [1, 3]), ("[[3],[1]]", [1, 3]),
    ("2", [2]), ("999999", []), (" 1 , 1 ", [1]), ("[]", []),
  ])
  func selectRows(text: String, expected: [Int]) throws {
    #expect(try ids(["uniqueIds": text]) == expected)
    #expect(try ids(["UNIQUEIDS": text, "where": "1=1"]) == expected)
  }

  @Test func goWithOtherConditions() throws {
    #expect(try ids(["uniqueIds": "1,2,3", "objectIds": "3,4"]) == [3])
    #expect(try ids(["uniqueIds": "1,2", "objectIds": "3,4"]) == [])
    #expect(try ids(["uniqueIds": "1,2,3", "where": "OBJECTID > 1"]) == [2, 3])
    let all = try #require(try ids(["where": "1=1"]))
    #expect(try ids(["uniqueIds": "", "where": "1=1"]) == all && all.count > 3)
  }

  @Test(arguments: ["x", "1,x", "[1.5]", "[[1,2]]", "{\"a\":1}", "1;2"])
  func mistakesAreReported(text: String) throws {
    let reply = try TestService.sample.get().json(path, ["uniqueIds": text])
    #expect(try reply.failure().message.hasPrefix("'uniqueIds' parameter is invalid"), "\(reply)")
  }

  @Test func areReturnedAlone() throws {
    let service = try TestService.sample.get()
    let extendedParameters = ["where": "OBJECTID < 4", "orderByFields": "OBJECTID DESC"]
    let reply = try service.json(
      path, extendedParameters.merging(["returnUniqueIdsOnly": "true"]) { $1 })
    #expect(reply["uniqueIdFieldNames"] as? [String] == ["OBJECTID"])
    #expect(reply["uniqueIds"] as? [Int] == [3, 2, 1])
    #expect(reply["objectIds"] == nil && reply["features"] == nil)
    let whole = try service.json(
      path, extendedParameters.merging(["returnUniqueIdsOnly": "false"]) { $1 })
    #expect(try whole.list("features").count == 3)
  }
}
